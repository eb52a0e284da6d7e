// Writes messages of bots with their deliveries, as parts of a statement: into the open chat of (bot, channel, chatId), otherwise into a
// new one (contract §8). The caller locks the rows of client_identities, so that only one of several writers opens the chat.
import type { DeliveryKind } from "@rapport/core/delivery/DeliveryLines.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"
import type { Tables } from "../sql/CommonTables.ts"
import { enqueuedFrom } from "./Enqueued.ts"

/**
 * The CTE `chat` of the rows of `target`, which has the columns delivery_id (a UUIDv7), bot_id, channel, chat_id and client_id: the
 * newest open chat, locked. A close in parallel is awaited, and then it is another chat or none.
 */
export const openChatsFrom = (instanceId: number): Tables => ({
  chat: sql`select target.delivery_id, found.id from target cross join lateral (
      select a.id from appeals a where a.instance_id = ${instanceId}::int8 and a.bot_id = target.bot_id
        and a.channel = target.channel and a.chat_id = target.chat_id and a.client_id = target.client_id
        and a.status <> 'closed' order by a.id desc limit 1 for no key update) found`
})

interface Writing {
  readonly instanceId: number
  readonly kind: DeliveryKind
  /** A table with the columns of `target` and `text`; each (bot, client, channel, chatId) occurs once. */
  readonly source: string
  readonly now: Fragment
}

/**
 * Further CTEs after `chat`, up to `queued`, which has a row with the message_id and appeal_id of each row of `source`. After the
 * commit: DeliverySignal.notify and OutboxSignal.notify.
 */
export const botMessagesFrom = ({ instanceId, kind, now, source }: Writing): Tables => ({
  placed: sql`select source.*, chat.id as open_id, coalesce(chat.id, nextval('appeals_id_seq')) as appeal_id
        from ${sql.literal(source)} source left join chat on chat.delivery_id = source.delivery_id`,
  opened: sql`insert into appeals (instance_id, id, kind, client_id, status, status_group, channel, chat_id, bot_id,
          is_outgoing, message_count, last_message_at, created_at, updated_at)
        select ${instanceId}::int8, appeal_id, 'chat', client_id, 'waiting', 'new', channel, chat_id, bot_id, true, 1,
          ${now}, ${now}, ${now} from placed where open_id is null`,
  grown: sql`update appeals a set message_count = a.message_count + 1, last_message_at = greatest(a.last_message_at, ${now}), updated_at = ${now}
        from placed where a.instance_id = ${instanceId}::int8 and a.id = placed.open_id
        returning a.id, a.message_count`,
  message: sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
          recorded_at, delivery)
        select ${instanceId}::int8, placed.appeal_id, coalesce(grown.message_count, 1), 'bot', placed.bot_id,
          placed.text, ${now}, ${now}, 'queued'
        from placed left join grown on grown.id = placed.open_id returning id, appeal_id`,
  queued: sql`select ${instanceId}::int8 as instance_id, placed.delivery_id, placed.bot_id, placed.channel, placed.chat_id,
          placed.client_id, placed.appeal_id, message.id as message_id, placed.text
        from placed join message on message.appeal_id = placed.appeal_id`,
  ...enqueuedFrom(kind, "queued")
})
