// A call of a client whose chat of the bot is open already, in one statement with its receipt: what was read before is judged
// again under the locks, and where anything is otherwise nothing is written (docs/contract.md §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { CallAtOnce, CallTarget } from "@rapport/core/scenarios/CallStore.ts"
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { enqueuedFrom } from "../delivery/Enqueued.ts"
import { receiptFrom } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { hasRow } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Whether it was written. */
export const writeCallAtOnce = (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  target: CallTarget,
  call: CallAtOnce
): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    const { answer, callee, claim, text } = call
    const { instanceId } = session
    const { botId, channel, chatId } = target
    const now = sql`${isoOf(yield* Clock.currentTimeMillis)}::timestamptz`
    const details = { botId, clientId: callee.clientId, callId: answer.callId }
    const entry = yield* entryOf(session, { action: "node.call", id: callee.nodeId, details })
    // Where the key of a claim is taken, `receipt` has no row and nothing is written.
    const free = sql.literal(claim === null ? "chat" : "chat, receipt")
    const tables: ReadonlyArray<Statement.Fragment | false> = [
      callerOf(sql, session),
      ...reached(sql, session, target, call),
      cte(
        sql,
        "shown",
        sql`select ${JSON.stringify(answer)}::text::json as record from chat`,
        "materialized"
      ),
      claim !== null && cte(sql, "receipt", receiptFrom(sql, claim, "shown")),
      cte(
        sql,
        "grown",
        sql`update appeals a set message_count = a.message_count + 1, last_message_at = ${now}, updated_at = ${now}
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
            ${channel}::text as channel, ${chatId}::text as chat_id, ${callee.clientId}::int8 as client_id,
              message.appeal_id,
            message.id as message_id, message.text from message`
      ),
      ...enqueuedFrom(sql, "call", "queued"),
      cte(sql, "entry", auditedFrom(sql, "queued", entry))
    ]
    return yield* hasRow(statement(sql, tables, sql`select 1 from message`))
  })

/** The client first, as a merge takes them; then the identity, then the chat. */
const reached = (
  sql: SqlClient.SqlClient,
  { instanceId }: AuthorizedSession,
  { botId, channel, chatId }: CallTarget,
  { callee }: CallAtOnce
): ReadonlyArray<Statement.Fragment> => [
  cte(
    sql,
    "client",
    sql`select c.id from clients c, caller u where c.instance_id = u.instance_id and c.id = ${callee.clientId}
      and c.merged_into_id is null for key share of c`,
    "materialized"
  ),
  cte(
    sql,
    "held",
    sql`select identity.client_id from client
      join client_identities identity on identity.instance_id = ${instanceId} and identity.channel = ${channel}
        and identity.chat_id = ${chatId}
        and identity.client_id = client.id and identity.subscribed
      join bots bot on bot.instance_id = ${instanceId} and bot.id = ${botId} and bot.active
      join bot_nodes node on node.instance_id = ${instanceId} and node.bot_id = bot.id and node.id = ${callee.nodeId}
        and node.active
        and node.template is not distinct from ${callee.template}::text
      join bot_connectors connector on connector.instance_id = ${instanceId} and connector.bot_id = bot.id
        and connector.channel = ${channel} and connector.active
      for no key update of identity`,
    "materialized"
  ),
  cte(
    sql,
    "chat",
    sql`select a.id from appeals a, held where a.instance_id = ${instanceId} and a.id = ${callee.openChatId}::int8
      and a.client_id = held.client_id and a.status <> 'closed' for no key update of a`,
    "materialized"
  )
]
