// Locks the client of a write against merges and erasures until its transaction ends.
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Fragment, Sql } from "../sql/Fragment.ts"
import { rowsOf } from "../sql/Query.ts"

const LockedClient = Schema.Struct({ id: Schema.Int, isSurvivor: Schema.Boolean, isErased: Schema.Boolean })
const lockedRows = rowsOf(LockedClient)

/** Locks the surviving client with the id that `selected` selects. Undefined: it selects none. */
export const lockSelectedClient = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  selected: Fragment
): Effect.fn.Return<typeof LockedClient.Type | undefined, SqlError.SqlError> {
  for (;;) {
    const client =
      yield* lockedRows.find(sql`select c.id::float8 as id, c.merged_into_id is null as "isSurvivor",
        c.erased_at is not null as "isErased"
      from clients c where c.instance_id = ${instanceId} and c.id = (${selected}) for key share`)
    // After the wait for a merge the survivor is selected, but not locked yet.
    if (client === undefined || client.isSurvivor) return client
  }
})

/** Returns the survivor's id, undefined if it is erased. */
export const lockClient = (sql: Sql, instanceId: number, clientId: number) =>
  Effect.map(
    lockSelectedClient(
      sql,
      instanceId,
      sql`select coalesce(named.merged_into_id, named.id) from clients named
        where named.instance_id = ${instanceId} and named.id = ${clientId}`
    ),
    (client) => (client?.isErased === false ? client.id : undefined)
  )
