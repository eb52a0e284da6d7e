// The order of appeals for a query: BM25 of the best passage and of the whole appeal, with the statistics of the scope
// alone, so that another tenant's words never weigh; the query's own spelling and its dates add to it.
import type { EvidenceCandidate } from "./EvidenceIndex.ts"
import type { EvidenceTerms } from "./EvidenceTerms.ts"
import { PASSAGE_NEIGHBOURS } from "./Passages.ts"
import { dateWeight } from "./QueryDates.ts"

/** A text that holds a term of the query. */
export interface RankedText {
  readonly position: number
  readonly messageId: number | null
  /** Words of the passage around it. */
  readonly words: number
  /** As `termCounter` gives them. */
  readonly counts: ReadonlyArray<number>
}

/** An appeal with all its texts that hold a term, by position. */
export interface RankedAppeal {
  readonly appealId: number
  readonly createdAt: number
  /** Passages of the appeal, matching or not. */
  readonly passages: number
  /** Words of the appeal. */
  readonly words: number
  readonly texts: ReadonlyArray<RankedText>
}

/** Of everything searchable in the scope, matching or not. */
export interface ScopeStatistics {
  readonly appeals: number
  readonly appealWords: number
  readonly passages: number
  /** Sum over the passages: a text counts in each passage that it belongs to. */
  readonly passageWords: number
}

const K1 = 1
const B = 0.75
const WHOLE_WEIGHT = 0.5
// Words that only ask weigh little where people ask each other things all the time.
const WEAK_PASSAGE_WEIGHT = 0.15
const SPELLED_PASSAGE_WEIGHT = 0.3
const SPELLED_WHOLE_WEIGHT = 0.2
// A score of this size shows as 0.5.
const SCORE_HALF = 10

const shown = (score: number): number => Math.round((score / (score + SCORE_HALF)) * 10_000) / 10_000

/** Best first; equal ones newest first. Scores lie in 0…1 and compare within one answer. */
export const rankAppeals = (
  terms: EvidenceTerms,
  scope: ScopeStatistics,
  appeals: ReadonlyArray<RankedAppeal>,
  passagesMax: number
): Array<EvidenceCandidate> => {
  const weights = weightsOf(terms, scope, appeals)
  return appeals
    .map((appeal) => {
      const passages = appeal.texts
        .map((text, at) => ({
          messageId: text.messageId,
          position: text.position,
          score: passageScore(weights, appeal.texts, at)
        }))
        .toSorted((a, b) => b.score - a.score || a.position - b.position)
      const score =
        (passages[0]?.score ?? 0) + wholeScore(weights, appeal) + dateWeight(terms.dates, appeal.createdAt)
      return { appeal, passages, score }
    })
    .toSorted(
      (a, b) =>
        b.score - a.score || b.appeal.createdAt - a.appeal.createdAt || b.appeal.appealId - a.appeal.appealId
    )
    .map(({ appeal, passages, score }) => ({
      appealId: appeal.appealId,
      score: shown(score),
      passages: passages
        .flatMap(({ messageId, score }) => (messageId === null ? [] : [{ messageId, score: shown(score) }]))
        .slice(0, passagesMax)
    }))
}

interface Weights {
  readonly passage: Float64Array
  readonly passageSpelled: Float64Array
  readonly whole: Float64Array
  readonly wholeSpelled: Float64Array
  readonly passageWords: number
  readonly appealWords: number
}

const rarity = (holding: number, all: number): number =>
  Math.log(1 + (Math.max(all, holding) - holding + 0.5) / (holding + 0.5))

const weightsOf = (
  terms: EvidenceTerms,
  scope: ScopeStatistics,
  appeals: ReadonlyArray<RankedAppeal>
): Weights => {
  const size = terms.stems.length
  const made = {
    passage: new Float64Array(size),
    passageSpelled: new Float64Array(size),
    whole: new Float64Array(size),
    wholeSpelled: new Float64Array(size)
  }
  for (const appeal of appeals) countHolding(appeal, made)
  const { passage, passageSpelled, whole, wholeSpelled } = made
  // A word that makes no match is known from the matches alone: in the others it is as common as there.
  const share = scope.appeals / Math.max(1, appeals.length)
  for (let term = 0; term < size; term++) {
    const weak = term >= terms.matching
    const times = weak ? share : 1
    const weight = weak ? WEAK_PASSAGE_WEIGHT : 1
    passage[term] = weight * rarity(times * (passage[term] ?? 0), scope.passages)
    passageSpelled[term] =
      weight * SPELLED_PASSAGE_WEIGHT * rarity(times * (passageSpelled[term] ?? 0), scope.passages)
    whole[term] = WHOLE_WEIGHT * rarity(times * (whole[term] ?? 0), scope.appeals)
    wholeSpelled[term] = SPELLED_WHOLE_WEIGHT * rarity(times * (wholeSpelled[term] ?? 0), scope.appeals)
  }
  return {
    ...made,
    passageWords: Math.max(1, scope.passageWords / Math.max(1, scope.passages)),
    appealWords: Math.max(1, scope.appealWords / Math.max(1, scope.appeals))
  }
}

type Holding = Pick<Weights, "passage" | "passageSpelled" | "whole" | "wholeSpelled">

// How many passages and appeals hold each term: a text lies in the passages of its neighbours too.
const countHolding = (appeal: RankedAppeal, holding: Holding): void => {
  const terms = holding.passage.length
  const covered = new Int32Array(terms).fill(-1)
  const coveredSpelled = new Int32Array(terms).fill(-1)
  const add = (
    covered: Int32Array,
    passage: Float64Array,
    whole: Float64Array,
    term: number,
    position: number
  ) => {
    const last = covered[term] ?? -1
    const from = Math.max(position - PASSAGE_NEIGHBOURS, last + 1, 0)
    const to = Math.min(position + PASSAGE_NEIGHBOURS, appeal.passages - 1)
    if (last === -1) whole[term] = (whole[term] ?? 0) + 1
    if (to >= from) passage[term] = (passage[term] ?? 0) + to - from + 1
    covered[term] = Math.max(last, to)
  }
  for (const { counts, position } of appeal.texts) {
    for (let i = 0; i < counts.length; i += 3) {
      const term = counts[i] ?? 0
      add(covered, holding.passage, holding.whole, term, position)
      if ((counts[i + 2] ?? 0) > 0)
        add(coveredSpelled, holding.passageSpelled, holding.wholeSpelled, term, position)
    }
  }
}

const saturated = (times: number, words: number, usual: number): number =>
  times === 0 ? 0 : (times * (K1 + 1)) / (times + K1 * (1 - B + (B * words) / usual))

const passageScore = (weights: Weights, texts: ReadonlyArray<RankedText>, at: number): number => {
  const centre = texts[at]
  if (centre === undefined) return 0
  const times = new Map<number, readonly [number, number]>()
  for (let i = at - PASSAGE_NEIGHBOURS; i <= at + PASSAGE_NEIGHBOURS; i++) {
    const text = texts[i]
    if (text !== undefined && Math.abs(text.position - centre.position) <= PASSAGE_NEIGHBOURS)
      sum(times, text.counts)
  }
  return scoreOf(times, centre.words, weights.passageWords, weights.passage, weights.passageSpelled)
}

const wholeScore = (weights: Weights, appeal: RankedAppeal): number => {
  const times = new Map<number, readonly [number, number]>()
  for (const text of appeal.texts) sum(times, text.counts)
  return scoreOf(times, appeal.words, weights.appealWords, weights.whole, weights.wholeSpelled)
}

const sum = (times: Map<number, readonly [number, number]>, counts: ReadonlyArray<number>): void => {
  for (let i = 0; i < counts.length; i += 3) {
    const term = counts[i] ?? 0
    const [all, spelled] = times.get(term) ?? [0, 0]
    times.set(term, [all + (counts[i + 1] ?? 0), spelled + (counts[i + 2] ?? 0)])
  }
}

const scoreOf = (
  times: ReadonlyMap<number, readonly [number, number]>,
  words: number,
  usual: number,
  weights: Float64Array,
  weightsSpelled: Float64Array
): number => {
  let score = 0
  for (const [term, [all, spelled]] of times) {
    score +=
      (weights[term] ?? 0) * saturated(all, words, usual) +
      (weightsSpelled[term] ?? 0) * saturated(spelled, words, usual)
  }
  return score
}
