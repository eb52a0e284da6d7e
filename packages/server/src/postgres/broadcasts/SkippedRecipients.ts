// What a cancelled broadcast takes back: recipients without a message, and deliveries that wait in the outbox. What a worker
// holds at that moment goes out (docs/contract.md §9.1).
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

const heldRows = rowsOf(Schema.Struct({ deliveryId: Schema.String }))

export const skipQueued = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  instanceId: number,
  broadcastId: number
): Effect.fn.Return<void, SqlError.SqlError> {
  yield* sql`update broadcast_recipients set status = 'skipped', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and broadcast_id = ${broadcastId} and status = 'queued' and delivery_id is null`
  const waiting = yield* heldRows.all(sql`select delivery.id::text as "deliveryId"
    from broadcast_recipients recipient
    join deliveries delivery on delivery.instance_id = recipient.instance_id and delivery.id = recipient.delivery_id
      and delivery.status = 'queued'
    join delivery_lines line on line.instance_id = delivery.instance_id and line.bot_id = delivery.bot_id
      and line.channel = delivery.channel
      and line.chat_id = delivery.chat_id and (line.lease is null or line.leased_until < clock_timestamp())
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${broadcastId} and recipient.status = 'queued'
    for update of line skip locked`)
  if (waiting.length === 0) return
  const ids = sql`${waiting.map(({ deliveryId }) => deliveryId)}::text[]::uuid[]`
  // First the recipients: what becomes of the deliveries is then none of theirs.
  yield* sql`update broadcast_recipients set status = 'skipped', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and delivery_id = any(${ids})`
  yield* sql`update deliveries set status = 'failed', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and id = any(${ids}) and status = 'queued'`
  yield* sql`update delivery_lines line set lease = null, leased_until = null,
      due_at = (select now() from deliveries delivery where delivery.instance_id = line.instance_id
        and delivery.bot_id = line.bot_id
        and delivery.channel = line.channel and delivery.chat_id = line.chat_id and delivery.status = 'queued' limit 1)
    from deliveries cancelled where cancelled.instance_id = ${instanceId} and cancelled.id = any(${ids})
      and line.instance_id = cancelled.instance_id
      and line.bot_id = cancelled.bot_id and line.channel = cancelled.channel and line.chat_id = cancelled.chat_id`
})
