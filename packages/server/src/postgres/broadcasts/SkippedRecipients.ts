// What a cancelled broadcast takes back: recipients nobody has written to, and deliveries that wait in the outbox. What a worker
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
  const waiting = yield* heldRows.all(sql`select d.id::text as "deliveryId"
    from broadcast_recipients r
    join deliveries d on d.instance_id = r.instance_id and d.id = r.delivery_id and d.status = 'queued'
    join delivery_lines l on l.instance_id = d.instance_id and l.bot_id = d.bot_id and l.channel = d.channel
      and l.chat_id = d.chat_id and (l.lease is null or l.leased_until < clock_timestamp())
    where r.instance_id = ${instanceId} and r.broadcast_id = ${broadcastId} and r.status = 'queued'
    for update of l skip locked`)
  if (waiting.length === 0) return
  const ids = sql`${waiting.map(({ deliveryId }) => deliveryId)}::text[]::uuid[]`
  // First the recipients: what becomes of the deliveries is then none of theirs.
  yield* sql`update broadcast_recipients set status = 'skipped', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and delivery_id = any(${ids})`
  yield* sql`update deliveries set status = 'failed', reason = 'cancelled', updated_at = now()
    where instance_id = ${instanceId} and id = any(${ids}) and status = 'queued'`
  yield* sql`update delivery_lines l set lease = null, leased_until = null,
      due_at = (select now() from deliveries d where d.instance_id = l.instance_id and d.bot_id = l.bot_id
        and d.channel = l.channel and d.chat_id = l.chat_id and d.status = 'queued' limit 1)
    from deliveries g where g.instance_id = ${instanceId} and g.id = any(${ids}) and l.instance_id = g.instance_id
      and l.bot_id = g.bot_id and l.channel = g.channel and l.chat_id = g.chat_id`
})
