// Pauses and resumes the queued messages of a broadcast (contract §9.1). Later messages of a line do not wait for a paused one.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { isSameLine, lineKey, lockLines } from "../delivery/LineKeys.ts"
import { isLeased } from "./SkippedRecipients.ts"

/** The settlement sets the time of a leased line. A line that a restore has stopped (`infinity`) stays stopped. */
export const setPaused = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
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
