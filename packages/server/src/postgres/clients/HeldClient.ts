// The client that a write in a transaction is about, held so that a merge or an erasure comes before it or after, never between.
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

const heldRows = rowsOf(Schema.Struct({ mergedIntoId: Schema.NullOr(Schema.Int), isErased: Schema.Boolean }))

/**
 * The survivor's id, whose row is locked until the transaction ends; undefined once the client is erased. A merge that runs is
 * waited for: what was resolved before the transaction is the id of a client that is no more.
 */
export const heldClient = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  instanceId: number,
  clientId: number
): Effect.fn.Return<number | undefined, SqlError.SqlError> {
  for (let id = clientId; ;) {
    const found = yield* heldRows.find(sql`select merged_into_id::float8 as "mergedIntoId",
          erased_at is not null as "isErased"
        from clients where instance_id = ${instanceId} and id = ${id} for key share`)
    if (found === undefined || found.isErased) return undefined
    if (found.mergedIntoId === null) return id
    id = found.mergedIntoId
  }
})
