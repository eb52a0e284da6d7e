// How a new appeal with its messages, and one message more, are written: one statement each, their audit entry in it
// (docs/contract.md §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/Time.ts"
import type { AppealDraft, MessageDraft } from "@rapport/core/appeals/AppealDraft.ts"
import type { Appended, OpenAppeal } from "@rapport/core/appeals/AppealStore.ts"
import type { AppealKind } from "@rapport/core/appeals/TranscriptStore.ts"
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { chatJson, messageJson, ticketJson } from "./AppealColumns.ts"
import { auditedFrom } from "./AuditLogPostgres.ts"
import { idArray } from "./IdArray.ts"
import { entryOf } from "./Records.ts"

type Sql = SqlClient.SqlClient
type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const timeOf = (sql: Sql, millis: number | null): Statement.Fragment =>
  sql`${millis === null ? null : isoOf(millis)}::timestamptz`

/** Nothing, where the driver could not tell the type of an array of nulls. */
const ABSENT = ""

/** `unnest(…) with ordinality` of messages: their place is their sequence. */
const unnested = (sql: Sql, messages: ReadonlyArray<MessageDraft>): Statement.Fragment =>
  sql`unnest(${messages.map((m) => m.authorType)}::text[],
    ${messages.map((m) => (m.authorId === null ? ABSENT : String(m.authorId)))}::text[],
    ${messages.map((m) => m.text)}::text[],
    ${messages.map((m) => isoOf(m.occurredAt))}::text[]::timestamptz[],
    ${messages.map((m) => m.externalMessageId ?? ABSENT)}::text[])
    with ordinality as t(author_type, author_id, text, occurred_at, external_id, place)`

/** Rows whose `record` is the new chat or ticket as JSON. A ticket takes the next number of its instance. */
export const insertAppeal = (sql: Sql, session: AuthorizedSession, draft: AppealDraft): Rows =>
  Effect.gen(function* () {
    const { instanceId } = session
    const { kind, messages } = draft
    const now = isoOf(draft.recordedAt)
    const number = kind === "chat" ? sql`null::int8` : sql`(select n.last_ticket_number from numbered n)`
    const numbered =
      kind === "chat"
        ? sql.literal("")
        : sql`numbered as (update instances set last_ticket_number = last_ticket_number + 1
            where id = ${instanceId} returning last_ticket_number),`
    const entry = yield* entryOf(session, {
      action: `${kind}.create`,
      id: "",
      details: { clientId: draft.clientId, messages: messages.length }
    })
    const written =
      messages.length === 0
        ? sql.literal("")
        : sql`messages as (insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text,
            occurred_at, recorded_at, external_message_id)
          select a.instance_id, a.id, t.place, t.author_type, nullif(t.author_id, '')::int8, t.text, t.occurred_at,
            ${now}::timestamptz, nullif(t.external_id, '') from a, ${unnested(sql, messages)}),`
    return yield* sql`with ${numbered}
      a as (insert into appeals (instance_id, kind, client_id, subject_id, operator_id, operator_ids, author_id, number,
          title, description, status, status_group, priority, channel, chat_id, bot_id, chat_ids, is_outgoing, tags,
          comment, custom_fields, message_count, waiting_since, first_response_at, last_message_at, due_at, closed_by,
          created_at, updated_at, closed_at)
        values (${instanceId}, ${kind}, ${draft.clientId}, ${draft.subjectId}, ${draft.operatorId},
          ${idArray(sql, draft.operatorIds)}, ${draft.authorId}, ${number}, ${draft.title}, ${draft.description},
          ${draft.status}, ${draft.statusGroup}, ${draft.priority}, ${draft.channel}, ${draft.chatId}, ${draft.botId},
          ${idArray(sql, draft.chatIds)}, ${draft.isOutgoing}, ${draft.tags}::text[], ${draft.comment},
          ${JSON.stringify(draft.customFields)}::text::json, ${messages.length}, ${timeOf(sql, draft.waitingSince)},
          ${timeOf(sql, draft.firstResponseAt)}, ${timeOf(sql, messages.at(-1)?.occurredAt ?? null)},
          ${timeOf(sql, draft.dueAt)}, ${draft.closedBy}, ${timeOf(sql, draft.createdAt)}, ${now}::timestamptz,
          ${timeOf(sql, draft.closedAt)})
        returning *),
      ${written}
      entry as (${auditedFrom(sql, "a", entry, { entityId: "a.id::text" })})
      select ${sql.literal(kind === "chat" ? chatJson : ticketJson)} as record from a`
  })

/** Rows whose `record` is the new message as JSON. The appeal is locked by the caller's transaction. */
export const insertMessage = (
  sql: Sql,
  session: AuthorizedSession,
  kind: AppealKind,
  appeal: OpenAppeal,
  message: MessageDraft,
  appended: Appended
): Rows =>
  Effect.gen(function* () {
    const { instanceId } = session
    const now = isoOf(yield* Clock.currentTimeMillis)
    const entry = yield* entryOf(session, {
      action: `${kind}.message`,
      id: appeal.id,
      details: { sequence: appeal.messageCount + 1, authorType: message.authorType }
    })
    const waiting =
      kind === "chat"
        ? sql`waiting_since = ${timeOf(sql, appended.waitingSince)},
            first_response_at = ${timeOf(sql, appended.firstResponseAt)},`
        : sql.literal("")
    return yield* sql`with a as (update appeals set message_count = message_count + 1,
          operator_ids = ${idArray(sql, appended.operatorIds)}, ${waiting}
          last_message_at = ${timeOf(sql, message.occurredAt)}, updated_at = ${now}::timestamptz
        where instance_id = ${instanceId} and id = ${appeal.id} returning instance_id, id, message_count),
      m as (insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
          recorded_at, external_message_id)
        select a.instance_id, a.id, a.message_count, ${message.authorType}::text, ${message.authorId}::int8,
          ${message.text}::text, ${timeOf(sql, message.occurredAt)}, ${now}::timestamptz,
          ${message.externalMessageId}::text from a returning *),
      entry as (${auditedFrom(sql, null, entry)})
      select ${sql.literal(messageJson)} as record from m`
  })
