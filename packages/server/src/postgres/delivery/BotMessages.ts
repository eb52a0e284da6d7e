// How a bot's message is written, one or many in one statement: into the open chat of (bot, channel, chatId), else into a new
// outgoing one, never into a closed one; with its delivery (contract §8). The caller of this holds the rows of the
// identities (client_identities), so that of several writers one opens the chat and the others find it.
import type { DeliveryKind } from "@rapport/core/delivery/DeliveryLines.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { cte, statement } from "../sql/CommonTables.ts"
import { idArray } from "../sql/IdArray.ts"
import { rowsOf } from "../sql/Query.ts"
import { enqueuedFrom } from "./Enqueued.ts"

/** `deliveryId` is a UUIDv7; each (clientId, channel, chatId) occurs once. */
interface BotMessage {
  readonly deliveryId: string
  readonly clientId: number
  readonly channel: string
  readonly chatId: string
  readonly text: string
}

interface Writing {
  readonly instanceId: number
  readonly botId: number
  readonly kind: DeliveryKind
  readonly messages: ReadonlyArray<BotMessage>
  /** Further parts of the statement; they may read `queued`: delivery_id, client_id, channel, chat_id, appeal_id, message_id. */
  readonly with?: ReadonlyArray<Statement.Fragment>
}

const writtenRows = rowsOf(
  Schema.Struct({ deliveryId: Schema.String, appealId: Schema.Int, messageId: Schema.Int })
)
type WrittenMessage = {
  readonly deliveryId: string
  readonly appealId: number
  readonly messageId: number
}

/** In the order of nothing; after the commit: DeliverySignal.notify and OutboxSignal.notify. */
export const writeBotMessages = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { botId, instanceId, kind, messages, with: further = [] }: Writing
): Effect.fn.Return<ReadonlyArray<WrittenMessage>, SqlError.SqlError> {
  const now = sql`${isoOf(yield* Clock.currentTimeMillis)}::timestamptz`
  return yield* writtenRows.all(
    statement(
      sql,
      [
        cte(sql, "target", targets(sql, messages)),
        cte(sql, "chat", openChats(sql, instanceId, botId), "materialized"),
        cte(
          sql,
          "placed",
          sql`select target.*, chat.id as open_id, coalesce(chat.id, nextval('appeals_id_seq')) as appeal_id
              from target left join chat on chat.delivery_id = target.delivery_id`,
          "materialized"
        ),
        cte(
          sql,
          "opened",
          sql`insert into appeals (instance_id, id, kind, client_id, status, status_group, channel, chat_id, bot_id,
                is_outgoing, message_count, last_message_at, created_at, updated_at)
              select ${instanceId}::int8, placed.appeal_id, 'chat', placed.client_id, 'waiting', 'new', placed.channel,
                placed.chat_id,
                ${botId}::int8, true, 1, ${now}, ${now}, ${now} from placed where placed.open_id is null`
        ),
        cte(
          sql,
          "grown",
          sql`update appeals a set message_count = a.message_count + 1, last_message_at = greatest(a.last_message_at, ${now}), updated_at = ${now}
              from placed where a.instance_id = ${instanceId} and a.id = placed.open_id returning a.id, a.message_count`
        ),
        cte(
          sql,
          "message",
          sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
                recorded_at, delivery)
              select ${instanceId}::int8, placed.appeal_id, coalesce(grown.message_count, 1), 'bot', ${botId}::int8,
                placed.text,
                ${now}, ${now}, 'queued' from placed left join grown on grown.id = placed.open_id returning id, appeal_id`
        ),
        cte(
          sql,
          "queued",
          sql`select ${instanceId}::int8 as instance_id, placed.delivery_id, ${botId}::int8 as bot_id, placed.channel,
              placed.chat_id,
                placed.client_id, placed.appeal_id, message.id as message_id, placed.text
              from placed join message on message.appeal_id = placed.appeal_id`
        ),
        ...enqueuedFrom(sql, kind, "queued"),
        ...further
      ],
      sql`select delivery_id as "deliveryId", appeal_id::float8 as "appealId", message_id::float8 as "messageId"
          from queued`
    )
  )
})

const targets = (sql: SqlClient.SqlClient, messages: ReadonlyArray<BotMessage>): Statement.Fragment =>
  sql`select * from unnest(${messages.map((m) => m.deliveryId)}::text[]::uuid[],
    ${idArray(
      sql,
      messages.map((m) => m.clientId)
    )}, ${messages.map((m) => m.channel)}::text[], ${messages.map((m) => m.chatId)}::text[],
    ${messages.map((m) => m.text)}::text[]) as target(delivery_id, client_id, channel, chat_id, text)`

/** The newest one, locked: a close at the same time is waited for, and then it is another or none. */
const openChats = (sql: SqlClient.SqlClient, instanceId: number, botId: number): Statement.Fragment =>
  sql`select target.delivery_id, found.id from target cross join lateral (
    select a.id from appeals a where a.instance_id = ${instanceId} and a.bot_id = ${botId} and a.channel = target.channel
      and a.chat_id = target.chat_id and a.client_id = target.client_id and a.status <> 'closed'
    order by a.id desc limit 1 for no key update) found`
