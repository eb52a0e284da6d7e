// The constants of the ranking, those in which the engines differ named; docs/retrieval.md explains them.

/** Saturation of a word that is repeated, in a passage and in a whole appeal, and how much length counts: BM25's k1 and b. */
export const K1_PASSAGE = 0.8
export const K1_WHOLE = 1
export const LENGTH_SHARE = 0.75
/** Rarity to this power. Less than 1: several common words say more than one rare word does. */
export const RARITY_POWER = 0.65

/** A word in the whole appeal; a word in its best passage weighs 1. */
export const WHOLE_WEIGHT = 0.7
/** A word that must be met in the opening of an appeal: people begin with what they want. */
export const OPENING_WEIGHT = 0.8
/** Texts of an appeal whose opening weighs whole: of a longer one it says less. */
export const OPENING_TEXTS = 10
/** Words that only ask, in a passage: they weigh little where people ask each other things all the time. */
export const WEAK_PASSAGE_WEIGHT = 0.05
/** More for a word that is spelled as in the query. */
export const SPELLED_PASSAGE_WEIGHT = 0.3
export const SPELLED_WHOLE_WEIGHT = 0.2
/**
 * Of these two where a query has Cyrillic words: what has their stem is nearly always the word itself, less often so in English.
 */
export const SPELLED_CYRILLIC_SHARE = { embedded: 0.25, openSearch: 0.5 }

/**
 * A word of the family: the embedded index counts it as this part of the word itself, OpenSearch takes this part of the
 * family's own weight where that is more than the word's.
 */
export const FAMILY_WEIGHT = { embedded: 0.5, openSearch: 0.6 }
/** An appeal of one of a group's subjects in which one of its members took part; an appeal that is only either weighs 1. */
export const BOTH_OF_GROUP_WEIGHT = 1.1
/** Two words of the query near each other in the message itself; OpenSearch keeps no positions. */
export const PAIR_WEIGHT = { embedded: 0.15, openSearch: 0 }
/** A word that one appeal speaks of all the time is no common word: more passages of an appeal do not count. */
export const PASSAGES_COUNTED = { embedded: 8, openSearch: Infinity }

/** How near an appeal lies to a date that the query names. */
export const DATE_WEIGHT = {
  year: 1,
  month: 3,
  day: 4,
  near: 4,
  /** Falls to the e-th part in so many days. */
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
