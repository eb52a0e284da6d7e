// Cancels, pauses and resumes the queued recipients and deliveries of a broadcast. A delivery in an attempt is not cancelled here: its
// settlement does it, if the attempt fails (contract §9.1).
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { isSameLine, lineKey, lockLines } from "../delivery/LineKeys.ts"
import { valuesOf } from "../sql/Query.ts"

const queuedRows = valuesOf(Schema.String)

const lineOfDelivery = isSameLine("line", "delivery")
/** Condition on `line`: a worker sends its first message. */
const isLeased = "line.lease is not null and line.leased_until >= clock_timestamp()"

/** Locks the lines first, so that their first message does not change. */
export const skipQueued = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  broadcastId: number
): Effect.fn.Return<void, SqlError.SqlError> {
  yield* sql`update broadcast_recipients set status = 'skipped', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and broadcast_id = ${broadcastId} and status = 'queued' and not enqueued`
  const waiting = sql`broadcast_recipients recipient
    join deliveries delivery on delivery.instance_id = recipient.instance_id and delivery.id = recipient.delivery_id
      and delivery.status = 'queued'
    join delivery_lines line on ${sql.literal(lineOfDelivery)}
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${broadcastId}
      and recipient.status = 'queued'`
  yield* lockLines(sql, sql`select ${sql.literal(lineKey("line"))} from ${waiting}`)
  const ids = yield* queuedRows.all(sql`select delivery.id::text from ${waiting}
    and not (${sql.literal(isLeased)} and not exists (select 1 from deliveries earlier where earlier.status = 'queued'
      and not earlier.paused and ${sql.literal(isSameLine("earlier", "line"))}
      and earlier.sequence < delivery.sequence))`)
  // A paused message may be in an attempt. Otherwise the next claim of its line skips it.
  yield* sql`update deliveries delivery set paused = false from broadcast_recipients recipient
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${broadcastId}
      and delivery.instance_id = recipient.instance_id and delivery.id = recipient.delivery_id
      and delivery.status = 'queued' and delivery.paused`
  const cancelled = sql`delivery.instance_id = ${instanceId}
    and delivery.id = any(${ids}::text[]::uuid[])`
  yield* sql`update deliveries delivery set status = 'failed', reason = 'cancelled', description = null, updated_at = now()
    where ${cancelled} and delivery.status = 'queued'`
  // The settlement sets the time of a leased line. A line that a restore has stopped stays stopped.
  yield* sql`update delivery_lines line set lease = null, leased_until = null,
      due_at = (select case when line.due_at = 'infinity' then line.due_at else now() end from deliveries delivery where ${sql.literal(lineOfDelivery)}
        and delivery.status = 'queued' and not delivery.paused limit 1)
    from deliveries delivery where ${cancelled} and ${sql.literal(lineOfDelivery)} and not (${sql.literal(isLeased)})`
})

/**
 * Later messages of a line do not wait for a paused one. The settlement sets the time of a leased line. A line that a restore has stopped
 * (`infinity`) stays stopped.
 */
export const setPaused = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  broadcastId: number,
  paused: boolean
): Effect.fn.Return<void, SqlError.SqlError> {
  const changing = sql`broadcast_recipients recipient
    join deliveries delivery on delivery.instance_id = recipient.instance_id and delivery.id = recipient.delivery_id
      and delivery.status = 'queued' and delivery.paused <> ${paused}
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${broadcastId}`
  yield* lockLines(sql, sql`select ${sql.literal(lineKey("delivery"))} from ${changing}`)
  yield* sql`with delivery as (update deliveries changed set paused = ${paused}
        from ${changing} and changed.instance_id = delivery.instance_id and changed.id = delivery.id returning changed.*)
    update delivery_lines line set due_at = case when ${paused} and not exists (select 1 from deliveries other
        where ${sql.literal(isSameLine("other", "line"))} and other.status = 'queued' and not other.paused
          and other.id not in (select id from delivery)) then null else coalesce(line.due_at, now()) end
    from delivery where ${sql.literal(isSameLine("line", "delivery"))} and line.due_at is distinct from 'infinity'
      and not (${sql.literal(isLeased)})`
})
