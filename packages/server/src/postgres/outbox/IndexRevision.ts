// Reads of documents for an index: their ids, and their revision, which every commit increases.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { orUnavailable, type Rows, rowsOf, selectedCount, selectedIds, valuesOf } from "../sql/Query.ts"

/** The documents of a table, for a rebuild. */
export const idsOf = (sql: Sql, table: "appeals" | "memory_entries") => ({
  idsAfter: (instanceId: number, after: number, limit: number) =>
    orUnavailable(
      selectedIds(sql`select id::float8 as id from ${sql.literal(table)} where instance_id = ${instanceId} and id > ${after}
        order by id limit ${limit}`)
    ),
  count: (instanceId: number) =>
    orUnavailable(
      selectedCount(
        sql`select count(*)::float8 as count from ${sql.literal(table)} where instance_id = ${instanceId}`
      )
    )
})

const sizeRows = rowsOf(
  Schema.Struct({ documentId: Schema.Finite, texts: Schema.Finite, bytes: Schema.Finite })
)

/** The sizes of documents, in the order of their ids; 0 of one that is not selected. */
export const sizesOf = (ids: ReadonlyArray<number>, sizes: Rows) =>
  Effect.map(sizeRows.all(sizes), (found) => {
    const known = new Map(found.map((one) => [one.documentId, one]))
    return ids.map((documentId) => known.get(documentId) ?? { documentId, texts: 0, bytes: 0 })
  }).pipe(orUnavailable)

/** Condition on a table: the document is not in quarantine. */
export const notQuarantined = (kind: "client_memory" | "evidence", table: string): string =>
  `not exists (select 1 from quarantine where quarantine.instance_id = ${table}.instance_id
    and quarantine.kind = '${kind}' and quarantine.key = ${table}.id)`

/**
 * SQL of the number of transactions that ended before the snapshot. Of two versions of a document the one with the higher revision is
 * newer.
 */
export const indexRevision = `(select (pg_snapshot_xmax(s)::text::int8 - (select count(*) from pg_snapshot_xip(s)))::float8
  from pg_current_snapshot() s)`

const revisionRows = valuesOf(Schema.Finite)

/** A document that was not found is removed, at the revision of this read. */
export const changesOf = Effect.fnUntraced(function* (
  sql: Sql,
  ids: ReadonlyArray<number>,
  documents: ReadonlyMap<number, IndexedDocument>
): Effect.fn.Return<ReadonlyArray<DocumentChange>, SqlError.SqlError> {
  const revision =
    documents.size === ids.length ? 0 : yield* revisionRows.get(sql`select ${sql.literal(indexRevision)}`)
  return ids.map((documentId): DocumentChange => {
    const document = documents.get(documentId)
    return document === undefined ? { _tag: "Removal", documentId, revision } : { _tag: "Upsert", document }
  })
})
