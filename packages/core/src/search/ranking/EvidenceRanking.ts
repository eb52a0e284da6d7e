// The order of appeals for a query: BM25 of the best passage, of the opening and of the whole appeal; spelling, family, nearness of
// words and dates add to it. The order weighs words by their rarity in the scope, the score by that in the instance.
import type { DocumentCandidate } from "../DocumentIndex.ts"
import { dateWeight, type EvidenceTerms, TERM_COUNTS, type TermCounts } from "../text/Terms.ts"
import { isCyrillic, adjacentIn, PASSAGE_TEXTS } from "../text/Words.ts"
import {
  FAMILY_WEIGHT,
  INSTANCE_MIN,
  K1_PASSAGE,
  K1_WHOLE,
  LENGTH_SHARE,
  OPENING_TEXTS,
  OPENING_WEIGHT,
  PAIR_WEIGHT,
  PASSAGES_COUNTED,
  RARITY_POWER,
  SPELLED_CYRILLIC_SHARE,
  SPELLED_PASSAGE_WEIGHT,
  SPELLED_WHOLE_WEIGHT,
  WEAK_PASSAGE_WEIGHT,
  WHOLE_WEIGHT
} from "./RankingWeights.ts"
import type { RankedAppeal } from "./RankedAppeal.ts"
import { type Relevance, roundShare } from "./Relevance.ts"

/** Counts of all searchable texts of a scope, matching or not. */
export interface ScopeStatistics {
  readonly appeals: number
  readonly appealWords: number
  readonly passages: number
  /** Sum over the passages: a text counts in each passage that it belongs to. */
  readonly passageWords: number
}

/** Weights of the terms and pairs of `EvidenceTerms`, at the same places. */
export interface TermWeights {
  readonly passage: Float64Array
  readonly passageSpelled: Float64Array
  readonly whole: Float64Array
  readonly wholeSpelled: Float64Array
  readonly opening: Float64Array
  readonly pair: Float64Array
  /** Mean numbers of words. */
  readonly passageWords: number
  readonly appealWords: number
  readonly textWords: number
}

/**
 * The share of the weight for equal spelling. It is the same for all words of a query, so that Latin words of a Ukrainian question
 * do not outweigh the others.
 */
export const spelledShare = (
  { matching, stems }: EvidenceTerms,
  engine: keyof typeof SPELLED_CYRILLIC_SHARE
): number => (stems.slice(0, matching).some(isCyrillic) ? SPELLED_CYRILLIC_SHARE[engine] : 1)

/** The weight of a word that `holding` of `all` texts contain. */
export const rarity = (holding: number, all: number): number =>
  Math.log(1 + (Math.max(all, holding) - holding + 0.5) / (holding + 0.5)) ** RARITY_POWER

/**
 * Weights from the texts that were read: all texts of an appeal, or those that match. `unread`: for each term, the number of all
 * texts with it relative to those that were read; absent if all were read.
 */
export const weightsOf = (
  terms: EvidenceTerms,
  scope: ScopeStatistics,
  appeals: ReadonlyArray<RankedAppeal>,
  unread: ReadonlyArray<number> = []
): TermWeights => {
  const size = terms.stems.length
  const made = {
    passage: new Float64Array(size),
    passageSpelled: new Float64Array(size),
    whole: new Float64Array(size),
    wholeSpelled: new Float64Array(size),
    opening: new Float64Array(size),
    pair: new Float64Array(terms.pairs.length)
  }
  let covered = 0
  for (const appeal of appeals) covered += countHolding(appeal, made)
  const { opening, pair, passage, passageSpelled, whole, wholeSpelled } = made
  // A word that makes no match is counted only in the texts that were read, and assumed to be as common in the others.
  const shareOfPassages = scope.passages / Math.max(1, covered)
  const shareOfAppeals = scope.appeals / Math.max(1, appeals.length)
  const asSpelled = spelledShare(terms, "embedded")
  for (let term = 0; term < size; term++) {
    const weak = term >= terms.matching
    const weight = weak ? WEAK_PASSAGE_WEIGHT : 1
    const inPassages = (holding: Float64Array, appeals: Float64Array): number => {
      const counted = Math.min(holding[term] ?? 0, PASSAGES_COUNTED.embedded * (appeals[term] ?? 0))
      return weight * rarity((weak ? shareOfPassages : (unread[term] ?? 1)) * counted, scope.passages)
    }
    const inAppeals = (holding: Float64Array): number =>
      rarity((weak ? shareOfAppeals : (unread[term] ?? 1)) * (holding[term] ?? 0), scope.appeals)
    passage[term] = inPassages(passage, whole)
    passageSpelled[term] = asSpelled * SPELLED_PASSAGE_WEIGHT * inPassages(passageSpelled, wholeSpelled)
    const asWhole = inAppeals(whole)
    opening[term] = weak ? 0 : OPENING_WEIGHT * asWhole
    whole[term] = WHOLE_WEIGHT * asWhole
    wholeSpelled[term] = asSpelled * SPELLED_WHOLE_WEIGHT * inAppeals(wholeSpelled)
  }
  for (let at = 0; at < pair.length; at++)
    pair[at] = PAIR_WEIGHT.embedded * rarity(pair[at] ?? 0, scope.passages)
  const passageWords = Math.max(1, scope.passageWords / Math.max(1, scope.passages))
  return {
    ...made,
    passageWords,
    textWords: passageWords / PASSAGE_TEXTS,
    appealWords: Math.max(1, scope.appealWords / Math.max(1, scope.appeals))
  }
}

type Holding = Pick<TermWeights, "passage" | "passageSpelled" | "whole" | "wholeSpelled" | "pair">

// Counts the passages and appeals with each term. A text also belongs to the passages of adjacent texts. Returns the number of
// passages that the texts belong to.
const countHolding = (appeal: RankedAppeal, holding: Holding): number => {
  const terms = holding.passage.length
  const last = new Int32Array(terms).fill(-1)
  const lastSpelled = new Int32Array(terms).fill(-1)
  let seen = -1
  let covered = 0
  const adjacent = adjacentIn(appeal.passages)
  for (const { counts, position } of appeal.texts) {
    const from = Math.max(position - adjacent, 0)
    const to = Math.min(position + adjacent, appeal.passages - 1)
    covered += to - Math.max(from, seen + 1) + 1
    seen = to
    for (let i = 0; i < counts.terms.length; i += TERM_COUNTS) {
      const term = counts.terms[i] ?? 0
      if ((counts.terms[i + 1] ?? 0) > 0) hold(term, from, to, last, holding.passage, holding.whole)
      if ((counts.terms[i + 2] ?? 0) > 0)
        hold(term, from, to, lastSpelled, holding.passageSpelled, holding.wholeSpelled)
    }
    for (const pair of counts.pairs) holding.pair[pair] = (holding.pair[pair] ?? 0) + 1
  }
  return covered
}

const hold = (
  term: number,
  from: number,
  to: number,
  last: Int32Array,
  passages: Float64Array,
  appeals: Float64Array
): void => {
  const before = last[term] ?? -1
  if (before === -1) appeals[term] = (appeals[term] ?? 0) + 1
  passages[term] = (passages[term] ?? 0) + Math.max(0, to - Math.max(from, before + 1) + 1)
  last[term] = Math.max(before, to)
}

export interface ScoredAppeal<A extends RankedAppeal> {
  readonly appeal: A
  readonly score: number
  /** Best first. */
  readonly passages: ReadonlyArray<{ readonly messageId: number | null; readonly score: number }>
}

/**
 * Best first; equal ones newest first. Drops appeals with score 0: an index of an older format may list a text under a word that
 * the current rules do not find in it.
 */
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
    .filter(({ score }) => score > 0)
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        b.appeal.createdAt - a.appeal.createdAt ||
        b.appeal.documentId - a.appeal.documentId
    )
}

/** For each term, the number of texts with it relative to those that were read; at least 1. */
export const unreadShares = (
  appeals: ReadonlyArray<RankedAppeal>,
  times: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const read = new Float64Array(times.length)
  for (const { texts } of appeals)
    for (const { counts } of texts)
      for (let at = 0; at < counts.terms.length; at += TERM_COUNTS) {
        const term = counts.terms[at] ?? 0
        if (term < read.length) read[term] = (read[term] ?? 0) + 1
      }
  return times.map((counted, term) => Math.max(1, counted / Math.max(1, read[term] ?? 0)))
}

/** The words of a query in all texts of the instance. */
export interface InstanceWords {
  readonly statistics: ScopeStatistics
  /** For each term that must match, the number of texts with it. */
  readonly texts: ReadonlyArray<number>
}

/**
 * Weights for the score. The topics of a client are common words in the client's few appeals, but not in the instance.
 * Only words that occur in an appeal add to its score, so the score does not reveal which other words hidden texts contain.
 */
export const weightsInInstance = (
  terms: EvidenceTerms,
  { statistics, texts }: InstanceWords,
  appeals: ReadonlyArray<RankedAppeal>
): TermWeights => {
  const appealsFactor = Math.max(1, INSTANCE_MIN.appeals / statistics.appeals)
  const passagesFactor = Math.max(1, INSTANCE_MIN.passages / statistics.passages)
  const enlarged = {
    appeals: appealsFactor * statistics.appeals,
    appealWords: appealsFactor * statistics.appealWords,
    passages: passagesFactor * statistics.passages,
    passageWords: passagesFactor * statistics.passageWords
  }
  return weightsOf(terms, enlarged, appeals, unreadShares(appeals, texts))
}

/**
 * Candidates in the order of `scored`, each with its estimated relevance: from its sum with the weights of the instance, or the sum
 * of the previous candidate if that is lower, so that scores never rise along the order.
 */
export const candidatesOf = (
  terms: EvidenceTerms,
  scored: ReadonlyArray<ScoredAppeal<RankedAppeal>>,
  instanceWeights: TermWeights,
  passagesMax: number,
  { estimate, missing, words }: Relevance
): Array<DocumentCandidate> => {
  const appeals = scored.map(({ appeal }) => appeal)
  const weighedById = new Map(
    scoreAppeals(terms, instanceWeights, appeals).map(({ appeal, score }) => [appeal.documentId, score])
  )
  let weighed = Infinity
  return scored.map(({ appeal, passages, score }) => {
    weighed = Math.min(weighed, weighedById.get(appeal.documentId) ?? score)
    const share = weighed / score
    return {
      documentId: appeal.documentId,
      score: estimate(weighed),
      parts: {
        ranking: roundShare(score),
        passage: roundShare(passages[0]?.score ?? 0),
        weighed: roundShare(weighed),
        words,
        missing
      },
      passages: passages
        .slice(0, passagesMax)
        .map(({ messageId, score }) => ({ messageId, score: estimate(share * score) }))
    }
  })
}

const passageScore = (
  weights: TermWeights,
  { passages, texts }: RankedAppeal,
  at: number,
  sums: Float64Array
): number => {
  const centre = texts[at]
  if (centre === undefined) return 0
  const adjacent = adjacentIn(passages)
  sums.fill(0)
  for (let i = at - adjacent; i <= at + adjacent; i++) {
    const text = texts[i]
    if (text !== undefined && Math.abs(text.position - centre.position) <= adjacent) add(sums, text.counts)
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

/** The weight of the opening of an appeal with this many texts: 1 in a short appeal, less in a longer one. */
export const openingShare = (texts: number): number => Math.min(1, OPENING_TEXTS / Math.max(1, texts))

const NOT_SPELLED = new Float64Array(0)

/** The score of the first text: the first message, or the title and description of a ticket. */
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
