// The constants of the ranking, those in which the engines differ named; docs/retrieval.md explains them.

/** Saturation of a word that is repeated, in a passage and in a whole appeal, and how much length counts: BM25's k1 and b. */
export const K1_PASSAGE = 0.8
export const K1_WHOLE = 1
export const LENGTH_SHARE = 0.75
/** The power of rarity. It is less than 1 because several common words distinguish an appeal better than one rare word. */
export const RARITY_POWER = 0.65

/** A word in the whole appeal; a word in its best passage weighs 1. */
export const WHOLE_WEIGHT = 0.7
/** A word that must match, in the opening of an appeal: people begin with what they want. */
export const OPENING_WEIGHT = 0.8
/** The opening has its full weight in an appeal of up to this many texts, and less in a longer one. */
export const OPENING_TEXTS = 10
/** Question words in a passage. They weigh little, because every conversation has them. */
export const WEAK_PASSAGE_WEIGHT = 0.05
/** Added for a word that is spelled as in the query. */
export const SPELLED_PASSAGE_WEIGHT = 0.3
export const SPELLED_WHOLE_WEIGHT = 0.2
/** The share of these two if the query has a Cyrillic word: an equal stem nearly always means the same word, in English less often. */
export const SPELLED_CYRILLIC_SHARE = { embedded: 0.25, openSearch: 0.5 }

/**
 * A related word counts as this share of the word in the embedded index. OpenSearch uses this share of the weight of the family
 * if it exceeds that of the word.
 */
export const FAMILY_WEIGHT = { embedded: 0.5, openSearch: 0.6 }
/** The factor of an appeal that belongs to a skill group by its subject and by a member. Other appeals have 1. */
export const BOTH_OF_GROUP_WEIGHT = 1.1
/** Two words of the query near each other in the message itself; OpenSearch keeps no positions. */
export const PAIR_WEIGHT = { embedded: 0.15, openSearch: 0 }
/** The most passages of one appeal that count for rarity, so that the topic of one long appeal is not a common word. */
export const PASSAGES_COUNTED = { embedded: 8, openSearch: Infinity }

/** Weights of an appeal near a date of the query. */
export const DATE_WEIGHT = {
  year: 1,
  month: 3,
  day: 4,
  near: 4,
  /** Days after which the weight has fallen to 1/e. */
  nearDays: 4,
  /** People speak of a day shortly before and after it, less so of a whole month. */
  monthNearShare: 0.6
}

/** A logistic model of whether an item answers the query: the logarithm of the odds is the sum of these. */
export const RELEVANCE = {
  base: -14.18,
  /** Times the logarithm of the ranking score, with the rarity of words in the whole instance (OpenSearch: in the shard). */
  score: 6.52,
  /** Times the logarithm of the number of words that must match: a longer query reaches a higher score. */
  words: -3.09,
  /** Times the share of these words that occurs in no visible text of the scope. */
  missing: -1.18
}

/** For the score, a smaller instance counts as one of this size: otherwise every word would be common. */
export const INSTANCE_MIN = { appeals: 20, passages: 300 }
