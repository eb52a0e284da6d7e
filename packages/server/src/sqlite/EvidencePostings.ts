// Which appeals are worth reading for a query of which many texts hold a word: found by the rows of its words alone. A row costs a
// tenth of a text, and most texts that hold one common word never come near the answer.
import { rarity } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { FAMILY_WEIGHT, OPENING_WEIGHT, WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { Effect } from "effect"
import { INTEGER, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFile.ts"
import { positionOf, refOf, type EvidenceScope } from "./EvidenceRows.ts"
import {
  SEARCH_PAIR_SPANS_MAX,
  SEARCH_PAIR_TEXTS_MAX,
  SEARCH_PAIRED_WORDS_MAX,
  SEARCH_ROWS_MAX,
  SEARCH_TEXTS_COUNTED_MAX,
  SEARCH_WORDS_LISTED_MAX
} from "./SqliteLimits.ts"

/** An appeal with its rows that hold words of the query, those with the most first. */
export interface ListedAppeal {
  readonly ref: number
  readonly rows: ReadonlyArray<number>
}

export interface Postings {
  /** The most promising first. */
  readonly appeals: ReadonlyArray<ListedAppeal>
  /** Texts that hold a word, as far as they are listed. */
  readonly texts: number
  /** By place of the term, how many texts hold it or a word of its family, as far as that was counted. */
  readonly times: ReadonlyArray<number>
  /** False: there are older texts that are in no list. */
  readonly complete: boolean
}

/** Rows of one word of the query, the newest first: of the word itself, and of words of its family. */
interface Listed {
  readonly term: number
  readonly own: Float64Array
  readonly kin: Float64Array
  /** The oldest row of which the lists tell whether it holds the word or one of its family. */
  readonly edge: number
  readonly times: number
}

export const postingsOf = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  scope: EvidenceScope,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<Postings, E> {
  const lists: Array<Listed> = []
  for (const [term, stem] of stems.entries()) {
    yield* pause
    lists.push(listOf(file, scope, term, stem))
  }
  const rarest = lists.toSorted((a, b) => a.times - b.times || a.edge - b.edge)
  const listed = rarest.slice(0, SEARCH_WORDS_LISTED_MAX)
  const marks = new Map<number, number>()
  for (const [bit, { kin, own }] of listed.entries()) {
    for (const row of own) mark(marks, row, 1 << (2 * bit))
    for (const row of kin) mark(marks, row, 2 << (2 * bit))
  }
  const cut = listed.filter((one) => isCut(one))
  for (const [first, second] of pairsOf(cut.slice(0, SEARCH_PAIRED_WORDS_MAX))) {
    yield* pause
    const edge = Math.max(first.edge, second.edge)
    const wanted = SEARCH_PAIR_TEXTS_MAX - sharedSize(first, second, edge)
    if (wanted <= 0) continue
    const both = scope.both(stems[first.term] ?? "", stems[second.term] ?? "")
    const bits = (1 << (2 * listed.indexOf(first))) | (1 << (2 * listed.indexOf(second)))
    for (const row of rowsOf(file, both, wanted, oldestOf(first), edge)) mark(marks, row, bits)
  }
  const weights = listed.flatMap(({ times }) => {
    const weight = rarity(times, scope.statistics.passages)
    return [weight, FAMILY_WEIGHT.embedded * weight]
  })
  return {
    appeals: promising(marks, weights),
    texts: marks.size,
    times: lists.map(({ times }) => times),
    complete: cut.length === 0 && listed.length === lists.length
  }
})

const listOf = (file: ReadFile, scope: EvidenceScope, term: number, stem: string): Listed => {
  const own = rowsOf(file, scope.holding([stem], false), SEARCH_ROWS_MAX)
  const family = scope.kin(stem)
  const kin = family === undefined ? none : rowsOf(file, family, SEARCH_ROWS_MAX)
  if (!isCut({ own, kin })) return { term, own, kin, edge: 0, times: unionOf({ own, kin }, 0).length }
  const edge = Math.max(
    ...[own, kin].map((list) => (list.length === SEARCH_ROWS_MAX ? (list.at(-1) ?? 0) : 0))
  )
  const newer = unionOf({ own, kin }, edge).length
  const older = file
    .read(
      `select count(*) from (select rowid from passage_text where passage_text match ? and rowid < ${INTEGER} limit ?)`
    )
    .get(scope.holding([stem], true), edge, SEARCH_TEXTS_COUNTED_MAX - newer)
  return { term, own, kin, edge, times: newer + numberAt(rowOf(older), 0) }
}

/** The rows of both lists, each once, the newest first, as far back as `edge`. */
const unionOf = ({ kin, own }: Pick<Listed, "own" | "kin">, edge: number): Float64Array => {
  const union = new Float64Array(own.length + kin.length)
  let size = 0
  for (let i = 0, j = 0; ;) {
    const row = Math.max(own[i] ?? -1, kin[j] ?? -1)
    if (row < edge) return union.subarray(0, size)
    if (own[i] === row) i++
    if (kin[j] === row) j++
    union[size++] = row
  }
}

/** How many rows both words are known to share, as far back as `edge`. */
const sharedSize = (first: Listed, second: Listed, edge: number): number => {
  const [a, b] = [unionOf(first, edge), unionOf(second, edge)]
  return a.length + b.length - unionOf({ own: a, kin: b }, edge).length
}

const none = new Float64Array(0)

const isCut = ({ kin, own }: Pick<Listed, "own" | "kin">): boolean =>
  own.length === SEARCH_ROWS_MAX || kin.length === SEARCH_ROWS_MAX

/** One text with all of them is far faster to take than as many rows. */
const rowsOf = (
  file: ReadFile,
  expression: string,
  most: number,
  from = 0,
  before = Number.MAX_SAFE_INTEGER
): Float64Array => {
  const found = file
    .read(
      `select json_group_array(f.rowid) from (select rowid from passage_text
         where passage_text match ? and rowid >= ${INTEGER} and rowid < ${INTEGER} order by rowid desc limit ?) f`
    )
    .get(expression, from, before, most)
  const rows: unknown = JSON.parse(textAt(rowOf(found), 0))
  return Array.isArray(rows) ? Float64Array.from(rows, Number) : none
}

const mark = (marks: Map<number, number>, row: number, bits: number): void => {
  marks.set(row, (marks.get(row) ?? 0) | bits)
}

const pairsOf = (words: ReadonlyArray<Listed>): ReadonlyArray<readonly [Listed, Listed]> =>
  words.flatMap((first, at) => words.slice(at + 1).map((second) => [first, second] as const))

/** How far back a pair is looked for: some times as far as the list of its rarer word goes. */
const oldestOf = ({ kin, own }: Listed): number => {
  const list = own.length === SEARCH_ROWS_MAX ? own : kin
  const [newest, oldest] = [list[0] ?? 0, list.at(-1) ?? 0]
  return Math.max(0, newest - SEARCH_PAIR_SPANS_MAX * (newest - oldest))
}

interface Promising {
  best: number
  all: number
  opening: number
  readonly rows: Array<number>
}

/** As ranking will see them, as far as rows tell: the best text, what all texts hold together, and the first one. */
const promising = (
  marks: ReadonlyMap<number, number>,
  weights: ReadonlyArray<number>
): Array<ListedAppeal> => {
  const sums = new Map<number, number>()
  const sumOf = (bits: number): number => {
    const known = sums.get(bits)
    if (known !== undefined) return known
    let sum = 0
    // A text that holds the word itself does not count for its family again.
    for (let at = 0; at < weights.length; at += 2) {
      if ((bits & (1 << at)) !== 0) sum += weights[at] ?? 0
      else if ((bits & (2 << at)) !== 0) sum += weights[at + 1] ?? 0
    }
    sums.set(bits, sum)
    return sum
  }
  const appeals = new Map<number, Promising>()
  for (const [row, bits] of marks) {
    const ref = refOf(row)
    const kept = appeals.get(ref)
    const sum = sumOf(bits)
    const opening = positionOf(row) === 0 ? sum : 0
    if (kept === undefined) {
      appeals.set(ref, { best: sum, all: bits, opening, rows: [row] })
      continue
    }
    kept.best = Math.max(kept.best, sum)
    kept.all |= bits
    kept.opening = Math.max(kept.opening, opening)
    kept.rows.push(row)
  }
  return [...appeals]
    .map(([ref, { all, best, opening, rows }]) => ({
      ref,
      rows: rows.toSorted((a, b) => sumOf(marks.get(b) ?? 0) - sumOf(marks.get(a) ?? 0) || a - b),
      score: best + OPENING_WEIGHT * opening + WHOLE_WEIGHT * sumOf(all)
    }))
    .toSorted((a, b) => b.score - a.score || b.ref - a.ref)
}
