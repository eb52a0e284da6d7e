// The score of an answer: how likely an item answers the query, estimated from its ranking score (docs/retrieval.md).
import type { ScoreParts } from "../DocumentIndex.ts"
import type { EvidenceTerms } from "../text/Terms.ts"
import { RELEVANCE } from "./RankingWeights.ts"

/** The relevance model for one query. */
export interface Relevance extends Pick<ScoreParts, "missing" | "words"> {
  /** Turns a ranking score into an estimate in 0…1 that compares between queries. It never changes the order. */
  readonly estimate: (ranking: number) => number
}

/** `occurring`: whether a stem occurs in a text that the query may return. */
export const relevanceOf = (terms: EvidenceTerms, occurring: (stem: string) => boolean): Relevance => {
  const searchedStems = terms.stems.slice(0, terms.matching)
  const missing = searchedStems.filter((stem) => !occurring(stem)).length / Math.max(1, searchedStems.length)
  const ofQuery =
    RELEVANCE.base + RELEVANCE.words * Math.log(1 + searchedStems.length) + RELEVANCE.missing * missing
  return {
    words: searchedStems.length,
    missing: roundShare(missing),
    estimate: (ranking) => roundShare(1 / (1 + Math.exp(-ofQuery - RELEVANCE.score * Math.log(1 + ranking))))
  }
}

/** To four decimals. */
export const roundShare = (share: number): number => Math.round(share * 10_000) / 10_000
