// Which appeals are worth reading for a query of which many texts hold a word: found by the rows of its words alone. A row costs a
// tenth of a text, and most texts that hold one common word never come near the answer.
import { rarity } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { FAMILY_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { Effect } from "effect"
import { INTEGER, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import type { EvidenceScope } from "./EvidenceRows.ts"
import { type MarkedRows, type Promising, promisingOf } from "./PromisingAppeals.ts"
import { SEARCH_ROWS_MAX } from "./SqliteLimits.ts"

/** Words of a query that are listed, the rarest: each takes two of the 31 bits of a mark. */
const SEARCH_WORDS_LISTED_MAX = 15
/** Of longer lists the rarest words, in pairs: texts with both, and how many times as far back as a list they are looked for. */
const SEARCH_PAIRED_WORDS_MAX = 3
const SEARCH_PAIR_TEXTS_MAX = 500
const SEARCH_PAIR_SPANS_MAX = 8
/**
 * Texts of two words, at most, behind whose lists a pair is looked for although the lists share none: FTS5 goes through all of
 * them to see that there is none.
 */
const SEARCH_APART_TEXTS_MAX = 20_000
/** Texts of one word that are counted at most. */
const SEARCH_TEXTS_COUNTED_MAX = 5_000

export interface Postings extends Promising {
  /** Places of the terms that have two bits each in a mark. */
  readonly marked: ReadonlyArray<number>
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
  /** How many texts hold it, as many as the lists let expect where they are cut: not counted further than `times`. */
  readonly expected: number
}

/** The newest rows that hold a word of a query itself, read once for a search. */
export const rowsOfWords = (file: ReadFile, { holding }: EvidenceScope) => {
  const known = new Map<string, Float64Array>()
  return (stem: string): Float64Array => {
    const rows = known.get(stem) ?? rowsOf(file, holding([stem], false), SEARCH_ROWS_MAX)
    known.set(stem, rows)
    return rows
  }
}

export type RowsOfWords = ReturnType<typeof rowsOfWords>

export const postingsOf = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  scope: EvidenceScope,
  ownRows: RowsOfWords,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<Postings, E> {
  const lists: Array<Listed> = []
  const since = scope.firstRow()
  for (const [term, stem] of stems.entries()) {
    yield* pause
    lists.push(listOf(file, scope, since, ownRows(stem), term, stem))
  }
  const rarest = lists.toSorted((a, b) => a.times - b.times || a.edge - b.edge)
  const listed = rarest.slice(0, SEARCH_WORDS_LISTED_MAX)
  const marked: Array<MarkedRows> = listed.flatMap(({ kin, own }, at) => [
    { rows: own, bits: 1 << (2 * at) },
    { rows: kin, bits: 2 << (2 * at) }
  ])
  const cut = listed.filter((one) => isCut(one))
  for (const [first, second] of pairsOf(cut.slice(0, SEARCH_PAIRED_WORDS_MAX))) {
    yield* pause
    const edge = Math.max(first.edge, second.edge)
    const shared = sharedSize(first, second, edge)
    const wanted = SEARCH_PAIR_TEXTS_MAX - shared
    if (wanted <= 0) continue
    if (shared === 0 && first.expected + second.expected > SEARCH_APART_TEXTS_MAX) continue
    const both = scope.both(stems[first.term] ?? "", stems[second.term] ?? "")
    const bits = (1 << (2 * listed.indexOf(first))) | (1 << (2 * listed.indexOf(second)))
    marked.push({ rows: rowsOf(file, both, wanted, oldestOf(first), edge), bits })
  }
  const weights = listed.flatMap(({ times }) => {
    const weight = rarity(times, scope.statistics.passages)
    return [weight, FAMILY_WEIGHT.embedded * weight]
  })
  return {
    ...promisingOf(marked, weights),
    marked: listed.map(({ term }) => term),
    times: lists.map(({ times }) => times),
    complete: cut.length === 0 && listed.length === lists.length
  }
})

const listOf = (
  file: ReadFile,
  scope: EvidenceScope,
  since: number,
  own: Float64Array,
  term: number,
  stem: string
): Listed => {
  const family = scope.kin(stem)
  const kin = family === undefined ? none : rowsOf(file, family, SEARCH_ROWS_MAX)
  if (!isCut({ own, kin })) {
    const times = unionOf({ own, kin }, 0).length
    return { term, own, kin, edge: 0, times, expected: times }
  }
  const edge = Math.max(
    ...[own, kin].map((list) => (list.length === SEARCH_ROWS_MAX ? (list.at(-1) ?? 0) : 0))
  )
  const newer = unionOf({ own, kin }, edge).length
  const newest = Math.max(own[0] ?? 0, kin[0] ?? 0)
  const expected = (newer * (newest - since)) / Math.max(1, newest - edge)
  const times =
    expected >= SURELY_MORE * SEARCH_TEXTS_COUNTED_MAX
      ? SEARCH_TEXTS_COUNTED_MAX
      : newer + olderTexts(file, scope, stem, edge, SEARCH_TEXTS_COUNTED_MAX - newer)
  return { term, own, kin, edge, times, expected: Math.max(times, expected) }
}

/** Where so many times the most that is counted are expected, nothing is counted. */
const SURELY_MORE = 2

const olderTexts = (
  file: ReadFile,
  scope: EvidenceScope,
  stem: string,
  edge: number,
  most: number
): number => {
  const found = file
    .read(
      `select count(*) from (select rowid from passage_text where passage_text match ? and rowid < ${INTEGER} limit ?)`
    )
    .get(scope.holding([stem], true), edge, most)
  return numberAt(rowOf(found), 0)
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
  let shared = 0
  const other = unionOf(second, edge)
  let at = 0
  for (const row of unionOf(first, edge)) {
    while ((other[at] ?? -1) > row) at++
    if (other[at] === row) shared++
  }
  return shared
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
  return Array.isArray(rows) ? new Float64Array(rows) : none
}

const pairsOf = (words: ReadonlyArray<Listed>): ReadonlyArray<readonly [Listed, Listed]> =>
  words.flatMap((first, at) => words.slice(at + 1).map((second) => [first, second] as const))

/** How far back a pair is looked for: some times as far as the list of its rarer word goes. */
const oldestOf = ({ kin, own }: Listed): number => {
  const list = own.length === SEARCH_ROWS_MAX ? own : kin
  const [newest, oldest] = [list[0] ?? 0, list.at(-1) ?? 0]
  return Math.max(0, newest - SEARCH_PAIR_SPANS_MAX * (newest - oldest))
}
