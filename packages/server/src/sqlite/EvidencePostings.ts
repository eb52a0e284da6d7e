// Lists the texts with the words of a query, only by their rows: a row costs a tenth of a text.
import { rarity } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { Effect } from "effect"
import { INTEGER, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import { type EvidenceScope, refOf } from "./EvidenceRows.ts"

/** The rows of one appeal. */
interface ListedAppeal {
  readonly ref: number
  /** The texts with the most words first. */
  readonly rows: ReadonlyArray<number>
}

export interface Postings {
  /** The appeals with the most words first. */
  readonly appeals: ReadonlyArray<ListedAppeal>
  /** The number of listed texts. */
  readonly size: number
  /** For each term, the number of texts with it or a word of its family, at most SEARCH_ROWS_MAX. */
  readonly times: ReadonlyArray<number>
  /** False: there are older texts in no list. */
  readonly complete: boolean
}

/** Newest texts that are listed for a word. */
export const SEARCH_ROWS_MAX = 2_000
/** Of words with more texts than are listed, so many are also searched in pairs, so many times as far back as their lists. */
const SEARCH_PAIRED_WORDS_MAX = 3
const SEARCH_PAIR_SPANS_MAX = 8

/** The texts with one word or a word of its family: the newest, and older ones with a second word. */
interface WordList {
  readonly stem: string
  readonly rows: Set<number>
  /** The number of texts, at most SEARCH_ROWS_MAX. */
  readonly times: number
  readonly newest: number
  readonly oldest: number
}

export const postingsOf = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  scope: EvidenceScope,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<Postings, E> {
  const lists: Array<WordList> = []
  for (const stem of stems) {
    yield* pause
    const rows = newestRows(file, scope.holding([stem], true), 0)
    const [newest = 0, oldest = 0] = [rows[0], rows.at(-1)]
    lists.push({ stem, rows: new Set(rows), times: rows.length, newest, oldest })
  }
  const cut = lists.filter(({ times }) => times === SEARCH_ROWS_MAX)
  // The list of a rarer word reaches further back.
  const rarest = cut.toSorted((a, b) => a.oldest - b.oldest).slice(0, SEARCH_PAIRED_WORDS_MAX)
  for (const [first, second] of pairsOf(rarest)) {
    yield* pause
    const from = Math.max(0, first.newest - SEARCH_PAIR_SPANS_MAX * (first.newest - first.oldest))
    for (const row of newestRows(file, scope.holdingBoth(first.stem, second.stem), from)) {
      first.rows.add(row)
      second.rows.add(row)
    }
  }
  /** The sum of the weights of the words in each text, by row, and in each appeal. */
  const inTexts = new Map<number, number>()
  const inAppeals = new Map<number, number>()
  for (const { rows, times } of lists) {
    const weight = rarity(times, scope.statistics.passages)
    for (const row of rows) add(inTexts, row, weight)
    for (const ref of new Set(Array.from(rows, refOf))) add(inAppeals, ref, weight)
  }
  const appeals = [...Map.groupBy(inTexts.keys(), refOf)].map(([ref, listed]) => {
    const rows = listed.toSorted((a, b) => (inTexts.get(b) ?? 0) - (inTexts.get(a) ?? 0) || a - b)
    // Like the ranking: the best text, and the words of all texts.
    const score = (inTexts.get(rows[0] ?? 0) ?? 0) + WHOLE_WEIGHT * (inAppeals.get(ref) ?? 0)
    return { ref, rows, score }
  })
  return {
    appeals: appeals.toSorted((a, b) => b.score - a.score || b.ref - a.ref),
    size: inTexts.size,
    times: lists.map(({ times }) => times),
    complete: cut.length === 0
  }
})

const pairsOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<readonly [A, A]> =>
  all.flatMap((first, at) => all.slice(at + 1).map((second) => [first, second] as const))

const add = (sums: Map<number, number>, key: number, weight: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + weight)
}

/** The newest rows from a row on. One JSON text is far faster to read than as many rows. */
const newestRows = (file: ReadFile, expression: string, from: number): ReadonlyArray<number> => {
  const found = file
    .read(
      `select json_group_array(f.rowid) from (select rowid from passage_text
         where passage_text match ? and rowid >= ${INTEGER} order by rowid desc limit ${INTEGER}) f`
    )
    .get(expression, from, SEARCH_ROWS_MAX)
  const rows: unknown = JSON.parse(textAt(rowOf(found), 0))
  return Array.isArray(rows) ? rows : []
}
