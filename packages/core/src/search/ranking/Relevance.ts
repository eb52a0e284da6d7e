// The score of an answer: how likely an item answers the query, estimated from its ranking score (docs/retrieval.md).
import type { EvidenceTerms } from "../text/Terms.ts"
import { RELEVANCE } from "./RankingWeights.ts"

/** Turns ranking scores of one query into estimates in 0…1 that compare between queries. It never changes their order. */
export type Relevance = (score: number) => number

/** `occurring`: whether a stem occurs in a text that the query may return. */
export const relevanceOf = (terms: EvidenceTerms, occurring: (stem: string) => boolean): Relevance => {
  const sought = terms.stems.slice(0, terms.matching)
  const missing = sought.filter((stem) => !occurring(stem)).length / Math.max(1, sought.length)
  const ofQuery = RELEVANCE.base + RELEVANCE.words * Math.log(1 + sought.length) + RELEVANCE.missing * missing
  return (score) => rounded(1 / (1 + Math.exp(-ofQuery - RELEVANCE.score * Math.log(1 + score))))
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000
