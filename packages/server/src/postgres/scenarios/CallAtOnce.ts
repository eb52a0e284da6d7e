// A call of a client whose chat of the bot is open already, in one statement with its receipt: client and chat are found and held
// by it, and where the node is not as it was read, or anything is in the way, nothing is written (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { ExpectedCall, CallTarget } from "@rapport/core/scenarios/CallStore.ts"
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { enqueuedFrom } from "../delivery/Enqueued.ts"
import { receiptFrom } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { hasRow } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Whether it was written. */
export const writeCallAtOnce = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  target: CallTarget,
  call: ExpectedCall
): Effect.fn.Return<boolean, SqlError.SqlError> {
  const { answer, claim, node, text } = call
  const { instanceId } = session
  const { botId, channel, chatId } = target
  const now = sql`${isoOf(yield* Clock.currentTimeMillis)}::timestamptz`
  const entry = yield* entryOf(session, { action: "node.call", id: node.nodeId })
  const details = "json_build_object('botId', bot_id, 'clientId', client_id, 'callId', delivery_id)"
  // Where the key of a claim is taken, `receipt` has no row and nothing is written.
  const free = sql.literal(claim === null ? "chat" : "chat, receipt")
  const tables: ReadonlyArray<Statement.Fragment | false> = [
    callerOf(sql, session),
    ...reached(sql, session, target, call),
    cte(sql, "shown", sql`select ${JSON.stringify(answer)}::text::json as record from chat`, "materialized"),
    claim !== null && cte(sql, "receipt", receiptFrom(sql, claim, "shown")),
    cte(
      sql,
      "grown",
      sql`update appeals a set message_count = a.message_count + 1, last_message_at = greatest(a.last_message_at, ${now}), updated_at = ${now}
          from ${free} where a.instance_id = ${instanceId} and a.id = chat.id returning a.id, a.message_count`
    ),
    cte(
      sql,
      "message",
      sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
            recorded_at, delivery)
          select ${instanceId}::int8, grown.id, grown.message_count, 'bot', ${botId}::int8, ${text}::text, ${now},
            ${now}, 'queued'
          from grown returning id, appeal_id, text`
    ),
    cte(
      sql,
      "queued",
      sql`select ${instanceId}::int8 as instance_id, ${answer.callId}::uuid as delivery_id, ${botId}::int8 as bot_id,
            ${channel}::text as channel, ${chatId}::text as chat_id, chat.client_id, message.appeal_id,
            message.id as message_id, message.text from message, chat`
    ),
    ...enqueuedFrom(sql, "call", "queued"),
    cte(sql, "entry", auditedFrom(sql, "queued", entry, { details }))
  ]
  return yield* hasRow(statement(sql, tables, sql`select 1 from message`))
})

/** The client first, as a merge takes them; then the identity, then the newest chat that is open. */
const reached = (
  sql: SqlClient.SqlClient,
  { instanceId }: AuthorizedSession,
  { botId, channel, chatId, node: asked }: CallTarget,
  { node }: ExpectedCall
): ReadonlyArray<Statement.Fragment> => [
  cte(
    sql,
    "client",
    sql`select c.id from clients c, caller u where c.instance_id = u.instance_id and c.id = (
        select identity.client_id from client_identities identity where identity.instance_id = ${instanceId}
          and identity.channel = ${channel} and identity.chat_id = ${chatId})
      and c.merged_into_id is null for key share of c`,
    "materialized"
  ),
  cte(
    sql,
    "held",
    sql`select identity.client_id from client
      join client_identities identity on identity.instance_id = ${instanceId} and identity.channel = ${channel}
        and identity.chat_id = ${chatId} and identity.client_id = client.id and identity.subscribed
      join bots bot on bot.instance_id = ${instanceId} and bot.id = ${botId} and bot.active
      join bot_nodes node on node.instance_id = ${instanceId} and node.bot_id = bot.id and node.id = ${node.nodeId}
        and node.active and node.template is not distinct from ${node.template}::text
        and ${"id" in asked ? sql`node.id = ${asked.id}` : sql`node.connector_alias = ${asked.alias}`}
      join bot_connectors connector on connector.instance_id = ${instanceId} and connector.bot_id = bot.id
        and connector.channel = ${channel} and connector.active
      for no key update of identity`,
    "materialized"
  ),
  cte(
    sql,
    "chat",
    sql`select a.id, a.client_id from held join appeals a on a.instance_id = ${instanceId}
      and a.client_id = held.client_id and a.status <> 'closed' and a.id = (
        select newest.id from appeals newest where newest.instance_id = ${instanceId} and newest.bot_id = ${botId}
          and newest.channel = ${channel} and newest.chat_id = ${chatId} and newest.client_id = held.client_id
          and newest.status <> 'closed' order by newest.id desc limit 1) for no key update of a`,
    "materialized"
  )
]
