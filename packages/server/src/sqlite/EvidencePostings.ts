// Lists the texts with the words of a query, only by their rows: a row costs a tenth of a text.
import { rarity } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { Effect } from "effect"
import { INTEGER, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import { type EvidenceScope, refOf } from "./EvidenceRows.ts"
import { SEARCH_ROWS_MAX } from "./SqliteLimits.ts"

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

export const postingsOf = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  scope: EvidenceScope,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<Postings, E> {
  const times: Array<number> = []
  /** The sum of the weights of the words in each text, by row, and in each appeal. */
  const inTexts = new Map<number, number>()
  const inAppeals = new Map<number, number>()
  for (const stem of stems) {
    yield* pause
    const rows = newestRows(file, scope.holding([stem], true))
    const weight = rarity(rows.length, scope.statistics.passages)
    times.push(rows.length)
    let last = -1
    for (const row of rows) {
      add(inTexts, row, weight)
      const ref = refOf(row)
      if (ref !== last) add(inAppeals, ref, weight)
      last = ref
    }
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
    times,
    complete: times.every((count) => count < SEARCH_ROWS_MAX)
  }
})

const add = (sums: Map<number, number>, key: number, weight: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + weight)
}

/** One JSON text is far faster to read than as many rows. */
const newestRows = (file: ReadFile, expression: string): Float64Array => {
  const found = file
    .read(
      `select json_group_array(f.rowid) from (select rowid from passage_text
         where passage_text match ? order by rowid desc limit ${INTEGER}) f`
    )
    .get(expression, SEARCH_ROWS_MAX)
  const rows: unknown = JSON.parse(textAt(rowOf(found), 0))
  return new Float64Array(Array.isArray(rows) ? rows : [])
}
