// The revision of a document read for an index: a clock that every commit moves forward.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

/**
 * SQL of transactions that ended before the snapshot. The documents hold at least what was committed by then, so of two of
 * them the one with the greater revision is the newer.
 */
export const indexRevision = `(select (pg_snapshot_xmax(s)::text::int8 - (select count(*) from pg_snapshot_xip(s)))::float8
  from pg_current_snapshot() s)`

const revisionRows = rowsOf(Schema.Struct({ revision: Schema.Finite }))

/** What becomes of the documents of an index: those that were not found are removals, of the revision at which they were missed. */
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
