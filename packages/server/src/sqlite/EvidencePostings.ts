// Selects the appeals to read for a query with many matching texts, only by the rows of its words: a row costs a tenth of a text.
import { rarity } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { FAMILY_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { Effect } from "effect"
import { INTEGER, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import type { EvidenceScope } from "./EvidenceRows.ts"
import { type MarkedRows, type Promising, promisingOf } from "./PromisingAppeals.ts"
import { SEARCH_ROWS_MAX } from "./SqliteLimits.ts"

/** The rarest words of a query are listed: each takes two of the 31 bits of a mark. */
const SEARCH_WORDS_LISTED_MAX = 15
/** Words with longer lists are searched in pairs: the rarest words, texts with both, and how far back in spans of a list. */
const SEARCH_PAIRED_WORDS_MAX = 3
const SEARCH_PAIR_TEXTS_MAX = 500
const SEARCH_PAIR_SPANS_MAX = 8
/** Counting the texts of one word stops here. */
const SEARCH_TEXTS_COUNTED_MAX = 5_000

export interface Postings extends Promising {
  /** For each term, the number of texts with it or a word of its family, as far as counted. */
  readonly times: ReadonlyArray<number>
  /** False: there are older texts in no list. */
  readonly complete: boolean
}

/** Rows of one word of the query, newest first: of the word itself (`own`) and of words of its family (`kin`). */
interface WordRows {
  readonly term: number
  readonly own: Float64Array
  readonly kin: Float64Array
  /** The oldest row up to which both lists are complete. */
  readonly edge: number
  readonly times: number
}

export const postingsOf = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  scope: EvidenceScope,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<Postings, E> {
  const lists: Array<WordRows> = []
  for (const [term, stem] of stems.entries()) {
    yield* pause
    lists.push(listOf(file, scope, term, stem))
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
    times: lists.map(({ times }) => times),
    complete: cut.length === 0 && listed.length === lists.length
  }
})

const listOf = (file: ReadFile, scope: EvidenceScope, term: number, stem: string): WordRows => {
  const own = rowsOf(file, scope.holding([stem], false), SEARCH_ROWS_MAX)
  const family = scope.kin(stem)
  const kin = family === undefined ? none : rowsOf(file, family, SEARCH_ROWS_MAX)
  if (!isCut({ own, kin })) {
    const times = unionOf({ own, kin }, 0).length
    return { term, own, kin, edge: 0, times }
  }
  const edge = Math.max(
    ...[own, kin].map((list) => (list.length === SEARCH_ROWS_MAX ? (list.at(-1) ?? 0) : 0))
  )
  const newer = unionOf({ own, kin }, edge).length
  const times = newer + olderTexts(file, scope, stem, edge, SEARCH_TEXTS_COUNTED_MAX - newer)
  return { term, own, kin, edge, times }
}

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

/** The union of both lists, newest first, down to `edge`. */
const unionOf = ({ kin, own }: Pick<WordRows, "own" | "kin">, edge: number): Float64Array => {
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

/** The number of listed rows with both words, down to `edge`. */
const sharedSize = (first: WordRows, second: WordRows, edge: number): number => {
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

const isCut = ({ kin, own }: Pick<WordRows, "own" | "kin">): boolean =>
  own.length === SEARCH_ROWS_MAX || kin.length === SEARCH_ROWS_MAX

/** One JSON text is far faster to read than as many rows. */
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

const pairsOf = (words: ReadonlyArray<WordRows>): ReadonlyArray<readonly [WordRows, WordRows]> =>
  words.flatMap((first, at) => words.slice(at + 1).map((second) => [first, second] as const))

/** The oldest row for a pair: some times as far back as the list of its rarer word. */
const oldestOf = ({ kin, own }: WordRows): number => {
  const list = own.length === SEARCH_ROWS_MAX ? own : kin
  const [newest, oldest] = [list[0] ?? 0, list.at(-1) ?? 0]
  return Math.max(0, newest - SEARCH_PAIR_SPANS_MAX * (newest - oldest))
}
