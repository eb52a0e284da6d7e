// The order of appeals for a query: BM25 of the best passage, of the opening and of the whole appeal, with the statistics of the scope
// alone, so that another tenant's words never weigh; spelling, family, nearness of its words and its dates add to it.
import type { DocumentCandidate } from "../DocumentIndex.ts"
import { type EvidenceTerms, TERM_COUNTS, type TermCounts } from "../text/Terms.ts"
import { neighboursIn } from "../text/Passages.ts"
import { dateWeight } from "../text/Dates.ts"
import {
  FAMILY_WEIGHT,
  K1_PASSAGE,
  K1_WHOLE,
  LENGTH_SHARE,
  openingShare,
  shownScore
} from "./RankingWeights.ts"
import type { RankedAppeal } from "./RankedAppeal.ts"
import type { TermWeights } from "./TermWeights.ts"

export interface ScoredAppeal<A extends RankedAppeal> {
  readonly appeal: A
  readonly score: number
  /** Best first. */
  readonly passages: ReadonlyArray<{ readonly messageId: number | null; readonly score: number }>
}

/** Best first; equal ones newest first. */
export const scoreAppeals = <A extends RankedAppeal>(
  terms: EvidenceTerms,
  weights: TermWeights,
  appeals: ReadonlyArray<A>
): Array<ScoredAppeal<A>> => {
  const sums = new Float64Array(2 * terms.stems.length)
  return appeals
    .map((appeal) => {
      const passages = appeal.texts
        .flatMap(({ matches, messageId, position }, at) =>
          matches ? [{ messageId, position, score: passageScore(weights, appeal, at, sums) }] : []
        )
        .toSorted((a, b) => b.score - a.score || a.position - b.position)
      const score =
        appeal.weight *
        ((passages[0]?.score ?? 0) +
          openingScore(weights, appeal, sums) +
          wholeScore(weights, appeal, sums) +
          dateWeight(terms.dates, appeal.createdAt))
      return { appeal, passages, score }
    })
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        b.appeal.createdAt - a.appeal.createdAt ||
        b.appeal.documentId - a.appeal.documentId
    )
}

/** As they are answered: scores lie in 0…1 and compare within one answer. */
export const candidatesOf = (
  scored: ReadonlyArray<ScoredAppeal<RankedAppeal>>,
  passagesMax: number
): Array<DocumentCandidate> =>
  scored.map(({ appeal, passages, score }) => ({
    documentId: appeal.documentId,
    score: shownScore(score),
    passages: passages
      .slice(0, passagesMax)
      .map(({ messageId, score }) => ({ messageId, score: shownScore(score) }))
  }))

const passageScore = (
  weights: TermWeights,
  { passages, texts }: RankedAppeal,
  at: number,
  sums: Float64Array
): number => {
  const centre = texts[at]
  if (centre === undefined) return 0
  const neighbours = neighboursIn(passages)
  sums.fill(0)
  for (let i = at - neighbours; i <= at + neighbours; i++) {
    const text = texts[i]
    if (text !== undefined && Math.abs(text.position - centre.position) <= neighbours) add(sums, text.counts)
  }
  let score = scoreOf(
    sums,
    K1_PASSAGE,
    centre.words / weights.passageWords,
    weights.passage,
    weights.passageSpelled
  )
  for (const pair of centre.counts.pairs) score += weights.pair[pair] ?? 0
  return score
}

const NOT_SPELLED = new Float64Array(0)

/** Of its first text: what a client writes first, or the title and description of a ticket. */
const openingScore = (
  weights: TermWeights,
  { passages, texts }: RankedAppeal,
  sums: Float64Array
): number => {
  const first = texts[0]
  if (first?.position !== 0) return 0
  sums.fill(0)
  add(sums, first.counts)
  const length = first.counts.words / weights.textWords
  return openingShare(passages) * scoreOf(sums, K1_WHOLE, length, weights.opening, NOT_SPELLED)
}

const wholeScore = (weights: TermWeights, appeal: RankedAppeal, sums: Float64Array): number => {
  sums.fill(0)
  for (const text of appeal.texts) add(sums, text.counts)
  return scoreOf(sums, K1_WHOLE, appeal.words / weights.appealWords, weights.whole, weights.wholeSpelled)
}

const add = (sums: Float64Array, { terms }: TermCounts): void => {
  for (let i = 0; i < terms.length; i += TERM_COUNTS) {
    const at = 2 * (terms[i] ?? 0)
    sums[at] = (sums[at] ?? 0) + (terms[i + 1] ?? 0) + FAMILY_WEIGHT.embedded * (terms[i + 3] ?? 0)
    sums[at + 1] = (sums[at + 1] ?? 0) + (terms[i + 2] ?? 0)
  }
}

const scoreOf = (
  sums: Float64Array,
  k1: number,
  length: number,
  weights: Float64Array,
  weightsSpelled: Float64Array
): number => {
  const damped = k1 * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
  let score = 0
  for (let term = 0; term < weights.length; term++) {
    const [times, spelled] = [sums[2 * term] ?? 0, sums[2 * term + 1] ?? 0]
    if (times > 0) score += ((weights[term] ?? 0) * times * (k1 + 1)) / (times + damped)
    if (spelled > 0) score += ((weightsSpelled[term] ?? 0) * spelled * (k1 + 1)) / (spelled + damped)
  }
  return score
}
