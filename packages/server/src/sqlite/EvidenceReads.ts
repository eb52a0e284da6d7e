// Searches a SQLite evidence index, page by page: between two pages the deadline is checked and other work of the thread runs.
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
  query.query === null ? readLatest(file, query, pause) : readMatching(file, query, query.query, pause)

const readMatching = Effect.fnUntraced(function* <E>(
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

/** The newest visible appeals: those of each member of the scope, down to the oldest that the answer may still have. */
const readLatest = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  pause: Effect.Effect<void, E>
) {
  const passing = passes(query)
  let newest: ReadonlyArray<readonly [documentId: number, createdAt: number]> = []
  for (const member of membersOf(query.scope)) {
    const since = newest[query.limit]?.[1] ?? query.from ?? Number.MIN_SAFE_INTEGER
    const next = pagesOf(file, query, member, since)
    const found = new Map(newest)
    let own = 0
    for (let page = next(); page.length > 0 && own <= query.limit; page = next()) {
      yield* pause
      const visible = page.map(headerOf).filter(passing)
      for (const { createdAt, documentId } of visible) found.set(documentId, createdAt)
      own += visible.length
    }
    newest = [...found].toSorted(([a, at], [b, bt]) => bt - at || b - a).slice(0, query.limit + 1)
  }
  const candidates = newest
    .slice(0, query.limit)
    .map(([documentId]) => ({ documentId, score: null, passages: [] }))
  return { candidates, more: newest.length > query.limit, readings: [] }
})

/** Pages of the appeals of one client, subject or participant, newest first. */
const pagesOf = (
  file: ReadFile,
  query: DocumentQuery,
  { id, kind }: ReturnType<typeof membersOf>[number],
  since: number
): (() => ReadonlyArray<SqliteRow>) => {
  const from =
    kind === "participant"
      ? "participation p join appeal a on a.ref = p.ref where p.instance = ? and p.user = ? and (p.created, p.id) < (?, ?) and p.created >= ?"
      : `appeal a where a.instance = ? and a.${kind} = ? and (a.created, a.id) < (?, ?) and a.created >= ?`
  const order = kind === "participant" ? "p.created desc, p.id desc" : "a.created desc, a.id desc"
  const statement = file.read(`select ${headerColumns} from ${from} order by ${order} limit ?`)
  let before: readonly [number, number] = [query.to ?? Number.MAX_SAFE_INTEGER, 0]
  return () => {
    const rows = statement.all(query.instanceId, id, ...before, since, LATEST_BATCH).map(rowOf)
    const end = rows.at(-1)
    if (end !== undefined) before = [numberAt(end, 1), numberAt(end, 0)]
    return rows
  }
}

const LATEST_BATCH = 128
