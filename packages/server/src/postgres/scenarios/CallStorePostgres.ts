// Calls in PostgreSQL: the client's identity is held from the look to the commit, then one statement writes the message, its
// delivery and its audit entry (docs/contract.md §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Call } from "@rapport/contract/scenarios/Call.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { CallStore, type CallTarget } from "@rapport/core/scenarios/CallStore.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
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

        sendAtOnce: (session, target, call) =>
          queryOr(
            "CallStore.sendAtOnce",
            call.claim === null ? unavailableOrDie : inProgressOrUnavailable,
            () =>
              Effect.tap(writeCallAtOnce(sql, session, target, call), (isWritten) =>
                isWritten ? notify : Effect.void
              )
          )(),

        send: query("CallStore.send", (session, target, callee, { callId, text }) =>
          Effect.gen(function* () {
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
          })
        ),

        find: query("CallStore.find", (session, callId) =>
          callRows.find(sql`with ${callerOf(sql, session)} select json_build_object('callId', d.id, 'status', d.status,
              'reason', d.reason, 'attempts', d.attempts, 'messageId', d.message_id, 'appealId', d.appeal_id,
              'createdAt', d.created_at, 'updatedAt', d.updated_at) as record
            from deliveries d, caller u
            where d.instance_id = u.instance_id and d.id = ${callId}::uuid and d.kind = 'call'`)
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
    and c.id = (select i.client_id from client_identities i
      where i.instance_id = ${session.instanceId} and i.channel = ${channel} and i.chat_id = ${chatId})
    ${sql.literal(lock === "held" ? "for key share of c" : "")})
  select n.id::float8 as "nodeId", n.template, i.client_id::float8 as "clientId", i.subscribed as "isSubscribed",
    b.active as "isBotActive", n.active as "isNodeActive", k.active as "isConnectorActive",
    (select a.id from appeals a where a.instance_id = i.instance_id and a.bot_id = b.id and a.channel = i.channel
      and a.chat_id = i.chat_id and a.client_id = i.client_id and a.status <> 'closed'
      order by a.id desc limit 1)::float8 as "openChatId"
  from client c
  join caller u on true
  join client_identities i on i.instance_id = u.instance_id and i.channel = ${channel} and i.chat_id = ${chatId}
    and i.client_id = c.id
  join bots b on b.instance_id = u.instance_id and b.id = ${botId}
  join bot_nodes n on n.instance_id = u.instance_id and n.bot_id = b.id
    and ${"id" in node ? sql`n.id = ${node.id}` : sql`n.connector_alias = ${node.alias}`}
  join bot_connectors k on k.instance_id = u.instance_id and k.bot_id = b.id and k.channel = ${channel}
  ${sql.literal(lock === "held" ? "for no key update of i" : "")}`
