// Calls of nodes in PostgreSQL, and the status of their deliveries (contract §8).
import { Call } from "@rapport/contract/scenarios/Call.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { CallStore } from "@rapport/core/scenarios/CallStore.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { query, rowsOf, valuesOf } from "../sql/Query.ts"
import { callerOf } from "../sql/Visibility.ts"
import { callWrites } from "./CallWrites.ts"

const nodeRows = rowsOf(
  Schema.Struct({
    nodeId: Schema.Int,
    template: Schema.NullOr(Schema.String),
    openChatId: Schema.NullOr(Schema.Int)
  })
)
const callJson = recordJson(
  columnsOf("delivery", Call.fields, { callId: { sql: "delivery.id" } }),
  Object.keys(Call.fields)
)
const callRows = valuesOf(Call)

export const layer: Layer.Layer<CallStore, never, SqlClient.SqlClient | DeliverySignal | OutboxSignal> =
  Layer.effect(
    CallStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* DeliverySignal
      const outbox = yield* OutboxSignal
      return CallStore.of({
        ...callWrites(sql, Effect.andThen(deliveries.notify, outbox.notify)),

        findNode: query("CallStore.findNode", (session, { botId, channel, chatId, node }) =>
          nodeRows.find(sql`with ${callerOf(session)}
            select node.id::float8 as "nodeId", node.template,
              (select a.id from appeals a where a.instance_id = identity.instance_id and a.bot_id = node.bot_id
                and a.channel = identity.channel and a.chat_id = identity.chat_id and a.client_id = identity.client_id
                and a.status <> 'closed' order by a.id desc limit 1)::float8 as "openChatId"
            from caller u
            join client_identities identity on identity.instance_id = u.instance_id and identity.channel = ${channel}
              and identity.chat_id = ${chatId}
            join bot_nodes node on node.instance_id = u.instance_id and node.bot_id = ${botId}
              and ${"id" in node ? sql`node.id = ${node.id}` : sql`node.connector_alias = ${node.alias}`}
            join bot_connectors connector on connector.instance_id = u.instance_id and connector.bot_id = node.bot_id
              and connector.channel = ${channel}`)
        ),

        find: query("CallStore.find", (session, callId) =>
          callRows.find(sql`with ${callerOf(session)} select ${sql.literal(callJson)} as record
            from deliveries delivery, caller u
            where delivery.instance_id = u.instance_id and delivery.id = ${callId}::uuid and delivery.kind = 'call'`)
        )
      })
    })
  )
