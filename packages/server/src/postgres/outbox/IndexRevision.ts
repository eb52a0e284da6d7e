// The revision of an indexed document, which every commit increases.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

/**
 * SQL of the number of transactions that ended before the snapshot. Of two versions of a document the one with the higher revision is
 * newer.
 */
export const indexRevision = `(select (pg_snapshot_xmax(s)::text::int8 - (select count(*) from pg_snapshot_xip(s)))::float8
  from pg_current_snapshot() s)`

const revisionRows = rowsOf(Schema.Struct({ revision: Schema.Finite }))

/** A document that was not found is removed, at the revision of this read. */
export const changesOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<number>,
  documents: ReadonlyMap<number, IndexedDocument>
): Effect.fn.Return<ReadonlyArray<DocumentChange>, SqlError.SqlError> {
  const revision =
    documents.size === ids.length
      ? 0
      : (yield* revisionRows.get(sql`select ${sql.literal(indexRevision)} as revision`)).revision
  return ids.map((documentId): DocumentChange => {
    const document = documents.get(documentId)
    return document === undefined ? { _tag: "Removal", documentId, revision } : { _tag: "Upsert", document }
  })
})
