// Finds the words that occur in the visible texts of a scope, by the full text index.
import type { EvidenceHeader } from "@rapport/core/search/EvidenceFilter.ts"
import { APPEALS_COUNTED_MAX } from "@rapport/core/search/text/Readings.ts"
import { Effect } from "effect"
import { INTEGER, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import { type EvidenceScope, headerColumns, headerOf, POSITIONS } from "./EvidenceRows.ts"
import { saidStems } from "./EvidenceVocabulary.ts"

/** Texts read between two checks of the deadline. */
export const SEARCH_TEXTS_BATCH = 512

const textsSql = `select f.rowid, p.names, p.text, ${headerColumns}
  from passage_text f join passage p on p.row = f.rowid join appeal a on a.ref = f.rowid / ${POSITIONS}
  where f.passage_text match ? and f.rowid < ${INTEGER} order by f.rowid desc limit ?`
/** Columns before the header. */
const HEADER_AT = 3

/** The texts that a query may see. */
export const visibleTexts = <E>(
  file: ReadFile,
  { holding }: EvidenceScope,
  passing: (header: EvidenceHeader) => boolean,
  pause: Effect.Effect<void, E>
) => ({
  /** The stems that occur in a visible text; reads at most `textsMax` texts, newest first. */
  present: Effect.fnUntraced(function* (stems: Iterable<string>, textsMax: number) {
    const found = new Set<string>()
    const rest = new Set(stems)
    const texts = file.read(textsSql)
    // Most texts are visible, so one is read; a page only after a hidden one.
    let page = 1
    for (let before = Number.MAX_SAFE_INTEGER, seen = 0; rest.size > 0 && seen < textsMax;) {
      yield* pause
      const rows = texts.all(holding(rest, false), before, page).map(rowOf)
      const last = rows.at(-1)
      if (last === undefined) break
      before = numberAt(last, 0)
      page = SEARCH_TEXTS_BATCH
      for (const row of rows) {
        if (!passing(headerOf(row.slice(HEADER_AT)))) continue
        seen++
        page = 1
        for (const stem of saidStems(textAt(row, 2), numberAt(row, 1))) {
          if (rest.delete(stem)) found.add(stem)
        }
      }
    }
    return found
  }),
  /** The number of appeals with a stem, up to APPEALS_COUNTED_MAX. */
  appealsWith: Effect.fnUntraced(function* (stem: string) {
    const appeals = new Set<number>()
    for (let before = Number.MAX_SAFE_INTEGER; appeals.size < APPEALS_COUNTED_MAX;) {
      yield* pause
      const rows = file
        .read(textsSql)
        .all(holding([stem], false), before, SEARCH_TEXTS_BATCH)
        .map(rowOf)
      for (const row of rows)
        if (passing(headerOf(row.slice(HEADER_AT)))) appeals.add(numberAt(row, HEADER_AT))
      const last = rows.at(-1)
      if (last === undefined) break
      before = numberAt(last, 0)
    }
    return appeals.size
  })
})
