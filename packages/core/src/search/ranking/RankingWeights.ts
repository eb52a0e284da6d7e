// The constants of the ranking, the same for every engine; docs/retrieval.md says how they were found.

/** Saturation of a word that is repeated, in a passage and in a whole appeal, and how much length counts: BM25's k1 and b. */
export const K1_PASSAGE = 0.8
export const K1_WHOLE = 1
export const LENGTH_SHARE = 0.75
/** Rarity to this power. Less than 1: several common words say more than one rare word does. */
export const RARITY_POWER = 0.65

/** A word in the whole appeal, beside 1 for a word in its best passage. */
export const WHOLE_WEIGHT = 0.5
/** Words that only ask, in a passage: they weigh little where people ask each other things all the time. */
export const WEAK_PASSAGE_WEIGHT = 0.1
/** More for a word that is spelled as in the query. */
export const SPELLED_PASSAGE_WEIGHT = 0.3
export const SPELLED_WHOLE_WEIGHT = 0.2

/** A score of this size shows as 0.5. */
const SCORE_HALF = 6

/** A score as it is answered: in 0…1, comparable within one answer. */
export const shownScore = (score: number): number =>
  Math.round((score / (score + SCORE_HALF)) * 10_000) / 10_000
