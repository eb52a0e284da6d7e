// Calls in PostgreSQL: the client's identity is held from the first read to the commit, then one statement writes the message, its
// delivery and its audit entry (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Call } from "@rapport/contract/scenarios/Call.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { CallStore, type CallTarget } from "@rapport/core/scenarios/CallStore.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { writeBotMessages } from "../delivery/BotMessages.ts"
import { cte } from "../sql/CommonTables.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { query, queryOr, recordsOf, rowsOf } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { callerOf } from "../sql/Visibility.ts"
import { writeCallAtOnce } from "./CallAtOnce.ts"

const calleeRows = rowsOf(
  Schema.Struct({
    nodeId: Schema.Int,
    template: Schema.NullOr(Schema.String),
    clientId: Schema.Int,
    isSubscribed: Schema.Boolean,
    isBotActive: Schema.Boolean,
    isNodeActive: Schema.Boolean,
    isConnectorActive: Schema.Boolean,
    openChatId: Schema.NullOr(Schema.Int)
  })
)
const callRows = recordsOf(Call)

export const layer: Layer.Layer<CallStore, never, SqlClient.SqlClient | DeliverySignal | OutboxSignal> =
  Layer.effect(
    CallStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* DeliverySignal
      const outbox = yield* OutboxSignal
      const notify = Effect.andThen(deliveries.notify, outbox.notify)

      const calleeOf = (session: AuthorizedSession, target: CallTarget, lock: Lock) =>
        calleeRows.find(calleeStatement(sql, session, target, lock))

      return CallStore.of({
        // A merge that was waited for has moved the identity: what it is now is seen by another statement.
        open: query("CallStore.open", (session, target) =>
          Effect.flatMap(calleeOf(session, target, "held"), (callee) =>
            callee === undefined ? calleeOf(session, target, "held") : Effect.succeed(callee)
          )
        ),

        look: query("CallStore.look", (session, target) => calleeOf(session, target, "none")),

        sendInOneStatement: (session, target, call) =>
          queryOr(
            "CallStore.sendAtOnce",
            call.claim === null ? unavailableOrDie : inProgressOrUnavailable,
            () =>
              Effect.tap(writeCallAtOnce(sql, session, target, call), (isWritten) =>
                isWritten ? notify : Effect.void
              )
          )(),

        send: query("CallStore.send", function* (session, target, callee, { callId, text }) {
          const details = { botId: target.botId, clientId: callee.clientId, callId }
          const entry = yield* entryOf(session, { action: "node.call", id: callee.nodeId, details })
          const [sent] = yield* writeBotMessages(sql, {
            instanceId: session.instanceId,
            botId: target.botId,
            kind: "call",
            messages: [
              {
                deliveryId: callId,
                clientId: callee.clientId,
                channel: target.channel,
                chatId: target.chatId,
                text
              }
            ],
            with: [cte(sql, "entry", auditedFrom(sql, null, entry))]
          })
          yield* sql.afterCommit(notify)
          return sent ?? (yield* Effect.die("a call that wrote nothing"))
        }),

        find: query("CallStore.find", (session, callId) =>
          callRows.find(sql`with ${callerOf(sql, session)} select json_build_object('callId', delivery.id, 'status',
            delivery.status,
              'reason', delivery.reason, 'description', delivery.description, 'attempts', delivery.attempts, 'messageId', delivery.message_id, 'appealId',
                delivery.appeal_id,
              'createdAt', delivery.created_at, 'updatedAt', delivery.updated_at) as record
            from deliveries delivery, caller u
            where delivery.instance_id = u.instance_id and delivery.id = ${callId}::uuid and delivery.kind = 'call'`)
        )
      })
    })
  )

/** Whether identity and client are held until the transaction ends. */
type Lock = "held" | "none"

/** The client first, as a merge takes them. */
const calleeStatement = (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  { botId, channel, chatId, node }: CallTarget,
  lock: Lock
) => sql`with ${callerOf(sql, session)},
  client as materialized (select c.id from clients c, caller u where c.instance_id = u.instance_id
    and c.id = (select identity.client_id from client_identities identity
      where identity.instance_id = ${session.instanceId} and identity.channel = ${channel} and identity.chat_id = ${chatId})
    ${sql.literal(lock === "held" ? "for key share of c" : "")})
  select node.id::float8 as "nodeId", node.template, identity.client_id::float8 as "clientId",
    identity.subscribed as "isSubscribed",
    bot.active as "isBotActive", node.active as "isNodeActive", connector.active as "isConnectorActive",
    (select a.id from appeals a where a.instance_id = identity.instance_id and a.bot_id = bot.id
      and a.channel = identity.channel
      and a.chat_id = identity.chat_id and a.client_id = identity.client_id and a.status <> 'closed'
      order by a.id desc limit 1)::float8 as "openChatId"
  from client
  join caller u on true
  join client_identities identity on identity.instance_id = u.instance_id and identity.channel = ${channel}
    and identity.chat_id = ${chatId}
    and identity.client_id = client.id
  join bots bot on bot.instance_id = u.instance_id and bot.id = ${botId}
  join bot_nodes node on node.instance_id = u.instance_id and node.bot_id = bot.id
    and ${"id" in node ? sql`node.id = ${node.id}` : sql`node.connector_alias = ${node.alias}`}
  join bot_connectors connector on connector.instance_id = u.instance_id and connector.bot_id = bot.id
    and connector.channel = ${channel}
  ${sql.literal(lock === "held" ? "for no key update of identity" : "")}`
