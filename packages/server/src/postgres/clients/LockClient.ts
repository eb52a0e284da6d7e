// Locks the client of a write against merges and erasures until its transaction ends.
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { rowsOf } from "../sql/Query.ts"

const lockedRows = rowsOf(
  Schema.Struct({ mergedIntoId: Schema.NullOr(Schema.Int), isErased: Schema.Boolean })
)

/** Returns the survivor's id, undefined if it is erased. Follows a merge that committed after the id was resolved. */
export const lockClient = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  clientId: number
): Effect.fn.Return<number | undefined, SqlError.SqlError> {
  for (let id = clientId; ;) {
    const found = yield* lockedRows.find(sql`select merged_into_id::float8 as "mergedIntoId",
          erased_at is not null as "isErased"
        from clients where instance_id = ${instanceId} and id = ${id} for key share`)
    if (found === undefined || found.isErased) return undefined
    if (found.mergedIntoId === null) return id
    id = found.mergedIntoId
  }
})
