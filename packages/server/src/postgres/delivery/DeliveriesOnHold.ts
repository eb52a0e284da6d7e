// Messages and broadcasts that a restore puts on hold until an operator releases or discards them (docs/operations.md, "After a
// restore"). A line on hold is due at infinity, so later messages of its chat wait behind it. A broadcast on hold is paused and due at
// infinity.
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { rowsOf } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"
import { isSameLine, lineKey, lockLines } from "./LineKeys.ts"

export interface OnHold {
  readonly deliveries: number
  readonly broadcasts: number
}

const onHoldRows = rowsOf(
  Schema.Struct({ instanceId: Schema.Int, deliveries: Schema.Int, broadcasts: Schema.Int })
)

/** Condition on `delivery` that its line is on hold. */
const isOnHold = `delivery.status = 'queued' and exists (select 1 from delivery_lines line where line.due_at = 'infinity'
  and ${isSameLine("line", "delivery")})`

/** Counts per instance that has any. `instanceId` null: all instances. */
const countByInstance = (sql: Sql, instanceId: number | null) =>
  onHoldRows.all(sql`select * from (select instance.id::float8 as "instanceId",
      (select count(*)::int4 from deliveries delivery where delivery.instance_id = instance.id
        and ${sql.literal(isOnHold)}) as deliveries,
      (select count(*)::int4 from broadcasts broadcast where broadcast.instance_id = instance.id
        and broadcast.status = 'paused' and broadcast.due_at = 'infinity') as broadcasts
    from instances instance where instance.id = coalesce(${instanceId}::int8, instance.id)) counted
    where deliveries + broadcasts > 0 order by 1`)

const sumOf = (all: ReadonlyArray<OnHold>): OnHold => ({
  deliveries: all.reduce((sum, { deliveries }) => sum + deliveries, 0),
  broadcasts: all.reduce((sum, { broadcasts }) => sum + broadcasts, 0)
})

export const countOnHold: Effect.Effect<OnHold, SqlError.SqlError, Sql> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(countByInstance(sql, null), sumOf)
)

/** Puts everything that would be sent on hold. It runs in the transaction of the restore. */
export const holdAll: Effect.Effect<OnHold, SqlError.SqlError, Sql> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update delivery_lines set due_at = 'infinity', lease = null, leased_until = null where due_at is not null`
  yield* sql`update broadcasts set status = 'paused', due_at = 'infinity', version = version + 1
    where status in ('scheduled', 'running')`
  return yield* countOnHold
})

/** Sends the messages on hold, and continues the broadcasts on hold. */
export const releaseOnHold = (instanceId: number | null) =>
  settleOnHold("release_deliveries", instanceId, (sql, id) =>
    Effect.all([
      sql`update delivery_lines set due_at = now() where instance_id = ${id} and due_at = 'infinity'`,
      sql`update broadcasts set status = case when started_at is null then 'scheduled' else 'running' end,
          due_at = case when started_at is null then coalesce(scheduled_at, now()) else now() end, version = version + 1
        where instance_id = ${id} and status = 'paused' and due_at = 'infinity'`
    ])
  )

/** Messages on hold fail with the reason of a cancelled broadcast. Broadcasts on hold stay paused. */
export const discardOnHold = (instanceId: number | null) =>
  settleOnHold("discard_deliveries", instanceId, (sql, id) =>
    Effect.all([
      sql`update deliveries delivery set status = 'failed', reason = 'cancelled', description = null, updated_at = now()
        where delivery.instance_id = ${id} and ${sql.literal(isOnHold)}`,
      sql`update delivery_lines set due_at = null where instance_id = ${id} and due_at = 'infinity'`
    ])
  )

const settleOnHold = Effect.fnUntraced(function* (
  action: string,
  instanceId: number | null,
  settle: (sql: Sql, instanceId: number) => Effect.Effect<unknown, SqlError.SqlError>
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // A concurrent enqueue waits for these locks, so that it does not leave a message in a line without a time.
      yield* lockLines(
        sql,
        sql`select ${sql.literal(lineKey("stopped"))} from delivery_lines stopped where stopped.due_at = 'infinity'
          and stopped.instance_id = coalesce(${instanceId}::int8, stopped.instance_id)`
      )
      const counts = yield* countByInstance(sql, instanceId)
      for (const { broadcasts, deliveries, instanceId: id } of counts) {
        yield* settle(sql, id)
        yield* audit(sql, systemSession(id), {
          action: `instance.${action}`,
          id,
          details: { deliveries, broadcasts }
        })
      }
      return sumOf(counts)
    })
  )
})
