// Searches a SQLite evidence index, page by page: between two pages the deadline is checked and other work of the thread runs.
import { SEARCH_TEXTS_BATCH } from "./SqliteLimits.ts"
import { passes } from "@rapport/core/search/EvidenceFilter.ts"
import type { DocumentQuery, DocumentsFound } from "@rapport/core/search/DocumentIndex.ts"
import { correctQuery } from "@rapport/core/search/QueryCorrection.ts"
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { numberAt, type ReadFile, rowOf, type SqliteRow } from "./EvidenceFiles.ts"
import { relevant } from "./EvidenceMatches.ts"
import { headerColumns, headerOf, membersOf, scopeOf } from "./EvidenceRows.ts"
import { visibleTexts } from "./EvidenceTexts.ts"
import { textsWith } from "./EvidenceVocabulary.ts"

/** `pause` lets other work run and fails after the deadline. */
export const searchEvidence = <E>(
  file: ReadFile,
  query: DocumentQuery,
  pause: Effect.Effect<void, E>
): Effect.Effect<DocumentsFound, E> =>
  query.query === null ? latest(file, query, pause) : matching(file, query, query.query, pause)

const matching = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  text: string,
  pause: Effect.Effect<void, E>
) {
  const scope = scopeOf(file, query)
  if (scope.statistics.passages === 0) return { candidates: [], more: false, readings: [] }
  const texts = visibleTexts(file, scope, passes(query), pause)
  const { matching, stems } = termsOf(text)
  const present = yield* texts.present(stems.slice(0, matching), Infinity)
  const read = yield* correctQuery(
    text,
    present,
    Effect.fnUntraced(function* (stems) {
      const known = textsWith(file, query.instanceId, stems).keys()
      const appeals = new Map<string, number>()
      for (const stem of yield* texts.present(known, TEXTS_WITH_READINGS_MAX))
        appeals.set(stem, yield* texts.appealsWith(stem))
      return appeals
    })
  )
  const found = yield* relevant(file, query, scope, read, pause)
  return { ...found, readings: read.readings }
})

/** Newest texts that decide which corrections occur. */
const TEXTS_WITH_READINGS_MAX = 8

/** Appeals of one client, subject or participant, newest first, a page at a time. */
interface Source {
  readonly next: () => ReadonlyArray<SqliteRow>
  page: ReadonlyArray<SqliteRow>
  at: number
}

const latest = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  pause: Effect.Effect<void, E>
) {
  const passing = passes(query)
  const sources = sourcesOf(file, query)
  const found: Array<number> = []
  let last = -1
  for (let seen = 1; found.length <= query.limit; seen++) {
    if (seen % SEARCH_TEXTS_BATCH === 0) yield* pause
    const row = takeNewest(sources)
    if (row === undefined) break
    const id = numberAt(row, 0)
    // Several participants of an appeal return it repeatedly, one after the other.
    if (id !== last && passing(headerOf(row))) found.push(id)
    last = id
  }
  const candidates = found
    .slice(0, query.limit)
    .map((documentId) => ({ documentId, score: null, passages: [] }))
  return { candidates, more: found.length > query.limit, readings: [] }
})

const takeNewest = (sources: ReadonlyArray<Source>): SqliteRow | undefined => {
  let best: Source | undefined
  let bestRow: SqliteRow | undefined
  for (const source of sources) {
    if (source.at === source.page.length && source.page.length > 0) {
      source.page = source.next()
      source.at = 0
    }
    const row = source.page[source.at]
    if (row !== undefined && (bestRow === undefined || isNewer(row, bestRow))) {
      best = source
      bestRow = row
    }
  }
  if (best !== undefined) best.at++
  return bestRow
}

const isNewer = (a: SqliteRow, b: SqliteRow): boolean =>
  numberAt(a, 1) > numberAt(b, 1) || (numberAt(a, 1) === numberAt(b, 1) && numberAt(a, 0) > numberAt(b, 0))

const sourcesOf = (file: ReadFile, query: DocumentQuery): ReadonlyArray<Source> =>
  membersOf(query.scope).map(({ kind, id }) => {
    const from =
      kind === "participant"
        ? "participation p join appeal a on a.ref = p.ref where p.instance = ? and p.user = ? and (p.created, p.id) < (?, ?) and p.created >= ?"
        : `appeal a where a.instance = ? and a.${kind} = ? and (a.created, a.id) < (?, ?) and a.created >= ?`
    const order = kind === "participant" ? "p.created desc, p.id desc" : "a.created desc, a.id desc"
    const statement = file.read(`select ${headerColumns} from ${from} order by ${order} limit ?`)
    let before: readonly [number, number] = [query.to ?? Number.MAX_SAFE_INTEGER, 0]
    const next = () => {
      const rows = statement
        .all(query.instanceId, id, ...before, query.from ?? Number.MIN_SAFE_INTEGER, LATEST_BATCH)
        .map(rowOf)
      const end = rows.at(-1)
      if (end !== undefined) before = [numberAt(end, 1), numberAt(end, 0)]
      return rows
    }
    return { next, page: next(), at: 0 }
  })

const LATEST_BATCH = 64
