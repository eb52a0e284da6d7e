// What each term of a query weighs in one scope: how rare it is among the passages and the appeals there.
import type { RankedAppeal } from "./RankedAppeal.ts"
import { type EvidenceTerms, TERM_COUNTS } from "../text/Terms.ts"
import { isCyrillic } from "../text/Words.ts"
import { neighboursIn, PASSAGE_TEXTS } from "../text/Passages.ts"
import {
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

/** Of everything searchable in the scope, matching or not. */
export interface ScopeStatistics {
  readonly appeals: number
  readonly appealWords: number
  readonly passages: number
  /** Sum over the passages: a text counts in each passage that it belongs to. */
  readonly passageWords: number
}

/** By place of the term, or of the pair, in `EvidenceTerms`. */
export interface TermWeights {
  readonly passage: Float64Array
  readonly passageSpelled: Float64Array
  readonly whole: Float64Array
  readonly wholeSpelled: Float64Array
  readonly opening: Float64Array
  readonly pair: Float64Array
  /** Words of a usual passage, of a usual appeal, and of a usual text. */
  readonly passageWords: number
  readonly appealWords: number
  readonly textWords: number
}

/**
 * How much of its weight a spelling has. One share for all words of a query, so that of a question in Ukrainian its Latin words
 * do not outweigh the others.
 */
export const spelledShare = (
  { matching, stems }: EvidenceTerms,
  engine: keyof typeof SPELLED_CYRILLIC_SHARE
): number => (stems.slice(0, matching).some(isCyrillic) ? SPELLED_CYRILLIC_SHARE[engine] : 1)

/** What a word weighs that so many of all hold. */
export const rarity = (holding: number, all: number): number =>
  Math.log(1 + (Math.max(all, holding) - holding + 0.5) / (holding + 0.5)) ** RARITY_POWER

/**
 * From the texts that were read: of an appeal those that match, or all. `unread`: by place of the term, in how many times as
 * many texts it occurs in as were read; none: all were read.
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
  // A word that makes no match is known from what was read alone: elsewhere it is as common as there.
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

// How many passages and appeals hold each term: a text lies in the passages of its neighbours too. Gives the number of
// passages that they lie in.
const countHolding = (appeal: RankedAppeal, holding: Holding): number => {
  const terms = holding.passage.length
  const last = new Int32Array(terms).fill(-1)
  const lastSpelled = new Int32Array(terms).fill(-1)
  let seen = -1
  let covered = 0
  const neighbours = neighboursIn(appeal.passages)
  for (const { counts, position } of appeal.texts) {
    const from = Math.max(position - neighbours, 0)
    const to = Math.min(position + neighbours, appeal.passages - 1)
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
