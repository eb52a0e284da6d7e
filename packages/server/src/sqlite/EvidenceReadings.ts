// Which words occur in the texts that a query may see: others are read otherwise, and hidden texts never count.
import { SEARCH_TEXTS_AT_ONCE } from "./SqliteLimits.ts"
import type { EvidenceHeader } from "@rapport/core/search/EvidenceFilter.ts"
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import {
  APPEALS_COUNTED_MAX,
  asRead,
  possibleReadings,
  chosenReadings,
  type Reading,
  stemsOf
} from "@rapport/core/search/text/Readings.ts"
import { stem as stemOf } from "@rapport/core/search/text/Words.ts"
import { Effect } from "effect"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { headerColumns, headerOf } from "./EvidenceMatches.ts"
import { numberAt, rowOf, textAt } from "./SqliteRow.ts"

/** Other readings that are searched for: texts that hold one, at most. The newest ones decide. */
const TEXTS_WITH_READINGS_MAX = 8

interface Visible {
  /** An expression for the texts of the scope. */
  readonly scope: string
  readonly passing: (header: EvidenceHeader) => boolean
}

/** The query with its lost words read otherwise, where that finds something. */
export const readOtherwise = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  visible: Visible,
  query: string,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<{ readonly query: string; readonly readings: ReadonlyArray<Reading> }, E> {
  const { matching, stems } = termsOf(query)
  const sought = stems.slice(0, matching)
  const known = yield* presentStems(file, visible, sought, Infinity, pause)
  if (known.size === sought.length) return { query, readings: [] }
  const candidates = possibleReadings(query, (stem) => known.has(stem))
  if (candidates.length === 0) return { query, readings: [] }
  const found = yield* presentStems(file, visible, stemsOf(candidates), TEXTS_WITH_READINGS_MAX, pause)
  const appeals = new Map<string, number>()
  for (const stem of found) appeals.set(stem, yield* appealsWith(file, visible, stem, pause))
  const readings = chosenReadings(candidates, (stem) => appeals.get(stem) ?? 0)
  return { query: asRead(query, readings), readings }
})

const textsSql = `select f.rowid, p.text, ${headerColumns}
  from passage_text f join passage p on p.row = f.rowid join appeal a on a.ref = p.ref
  where f.passage_text match ? and f.rowid < ? order by f.rowid desc limit ?`

/** Visible appeals that hold a word, up to APPEALS_COUNTED_MAX. */
const appealsWith = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  { passing, scope }: Visible,
  stem: string,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<number, E> {
  const appeals = new Set<number>()
  for (let before = Number.MAX_SAFE_INTEGER; appeals.size < APPEALS_COUNTED_MAX;) {
    yield* pause
    const expression = `${scope} AND ({stems} : "${stem}")`
    const rows = file.read(textsSql).all(expression, before, SEARCH_TEXTS_AT_ONCE).map(rowOf)
    for (const row of rows) if (passing(headerOf(row.slice(2)))) appeals.add(numberAt(row, 2))
    const last = rows.at(-1)
    if (last === undefined) break
    before = numberAt(last, 0)
  }
  return appeals.size
})

/** Those of the stems that occur in a visible text; `textsMax`: visible texts that are read. */
const presentStems = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  { passing, scope }: Visible,
  stems: ReadonlyArray<string>,
  textsMax: number,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<ReadonlySet<string>, E> {
  const found = new Set<string>()
  const rest = new Set(stems)
  const texts = file.read(textsSql)
  const holds = file.read("select 1 from passage_text where passage_text match ? and rowid = ?")
  // What is usual is visible: one text is enough, and only behind a hidden one a page of them.
  let page = 1
  for (let before = Number.MAX_SAFE_INTEGER, seen = 0; rest.size > 0 && seen < textsMax;) {
    yield* pause
    const anyOf = [...rest].map((stem) => `"${stem}"`).join(" OR ")
    const rows = texts.all(`${scope} AND ({stems} : (${anyOf}))`, before, page).map(rowOf)
    const last = rows.at(-1)
    if (last === undefined) break
    before = numberAt(last, 0)
    page = SEARCH_TEXTS_AT_ONCE
    for (const row of rows) {
      if (!passing(headerOf(row.slice(2)))) continue
      seen++
      page = 1
      for (const stem of new Set(textAt(row, 1).split(" ").map(stemOf))) {
        // The name of the speaker is there too, and is no part of the text.
        if (!rest.has(stem) || holds.get(`{stems} : "${stem}"`, numberAt(row, 0)) === undefined) continue
        found.add(stem)
        rest.delete(stem)
      }
    }
  }
  return found
})
