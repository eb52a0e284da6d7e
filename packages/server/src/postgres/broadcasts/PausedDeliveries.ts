// Pauses and resumes the queued messages of a broadcast (contract §9.1). Later messages of a line do not wait for a paused one.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { isLeased, lineOfDelivery } from "./SkippedRecipients.ts"

/**
 * Locks the lines first, in the order of every enqueue and settlement. The settlement sets the time of a leased line. A line that a
 * restore has stopped (`infinity`) stays stopped.
 */
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
  yield* sql`select 1 from delivery_lines line where (line.instance_id, line.bot_id, line.channel, line.chat_id) in (
      select delivery.instance_id, delivery.bot_id, delivery.channel, delivery.chat_id from ${changing})
    order by line.instance_id, line.bot_id, line.channel, line.chat_id for update`
  yield* sql`with delivery as (update deliveries changed set paused = ${paused}
        from ${changing} and changed.instance_id = delivery.instance_id and changed.id = delivery.id returning changed.*)
    update delivery_lines line set due_at = case when ${paused} and not exists (select 1 from deliveries other
        where (other.instance_id, other.bot_id, other.channel, other.chat_id)
          = (line.instance_id, line.bot_id, line.channel, line.chat_id) and other.status = 'queued' and not other.paused
          and other.id not in (select id from delivery)) then null else coalesce(line.due_at, now()) end
    from delivery where ${sql.literal(lineOfDelivery)} and line.due_at is distinct from 'infinity'
      and not (${sql.literal(isLeased)})`
})
