// The outbox of messages to clients in PostgreSQL (docs/contract.md §8); schema/0070_delivery.ts describes its tables.
import { DeliveryQueue } from "@rapport/core/delivery/DeliveryQueue.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { statement } from "../sql/CommonTables.ts"
import { query } from "../sql/Query.ts"
import { enqueuedFrom } from "./Enqueued.ts"

export const layer: Layer.Layer<DeliveryQueue, never, SqlClient.SqlClient | DeliverySignal> = Layer.effect(
  DeliveryQueue,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* DeliverySignal
    return DeliveryQueue.of({
      enqueue: query("DeliveryQueue.enqueue", function* (delivery) {
        const message = sql`update appeal_messages message set delivery = 'queued'
            where message.instance_id = ${delivery.instanceId} and message.id = ${delivery.messageId}
            returning message.instance_id, ${delivery.id}::uuid as delivery_id, ${delivery.botId}::int8 as bot_id,
              ${delivery.channel}::text as channel, ${delivery.chatId}::text as chat_id,
              ${delivery.clientId}::int8 as client_id, ${delivery.appealId}::int8 as appeal_id, message.id as message_id,
              ${delivery.text}::text as text`
        yield* statement(
          sql,
          [sql`message as (${message})`, ...enqueuedFrom(sql, delivery.kind, "message")],
          sql`select 1`
        )
        yield* sql.afterCommit(notify)
      })
    })
  })
)
