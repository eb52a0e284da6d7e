// How a new appeal with its messages, and one message more, are written: one statement each, their audit entry in it
// (docs/contract.md §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import {
  type AppealDraft,
  type MessageDraft,
  type Named,
  slicesOf
} from "@rapport/core/appeals/AppealDraft.ts"
import type { Appended, OpenAppeal } from "@rapport/core/appeals/AppealStore.ts"
import type { AppealKind } from "@rapport/core/appeals/TranscriptStore.ts"
import type { Claim } from "@rapport/core/receipts/Receipts.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { chatJson, messageJson, ticketJson } from "./AppealColumns.ts"
import { fitting } from "./AppealReferences.ts"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { idArray } from "../sql/IdArray.ts"
import { receiptFrom } from "../receipts/ReceiptsPostgres.ts"
import { entryOf } from "../sql/Records.ts"

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

/**
 * Rows whose `record` is the new chat or ticket as JSON. A ticket takes the next number of its instance. `alone` says that
 * no transaction is around it: what it names is judged here then, and a claim becomes its receipt; no row, and nothing
 * written, where anything is not as it was supposed or the key is taken. Otherwise a long history takes more statements.
 */
export const insertAppeal = (
  sql: Sql,
  session: AuthorizedSession,
  draft: AppealDraft,
  alone?: { readonly named: Named; readonly claim: Claim | null }
): Rows =>
  Effect.gen(function* () {
    const { instanceId } = session
    const { kind, messages } = draft
    const now = isoOf(draft.recordedAt)
    const none = sql.literal("")
    const slices = slicesOf(messages)
    const isLong = alone === undefined && slices.length > 1
    const claim = alone?.claim ?? null
    const made = claim === null ? "a" : "a, receipt"
    const entry = yield* entryOf(session, {
      action: `${kind}.create`,
      id: "",
      details: { clientId: draft.clientId, messages: messages.length }
    })
    const supposed =
      alone === undefined
        ? none
        : sql`${fitting(sql, session, alone.named, kind === "chat" ? "chats.manage" : "tickets.manage")},`
    const numbered =
      kind === "chat"
        ? none
        : sql`numbered as (update instances set last_ticket_number = last_ticket_number + 1
            where id = ${instanceId} returning last_ticket_number),`
    const number = kind === "chat" ? sql`null` : sql`(select n.last_ticket_number from numbered n)`
    const shown = sql.literal(kind === "chat" ? chatJson : ticketJson)
    const written =
      messages.length === 0 || isLong
        ? none
        : sql`messages as (insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text,
            occurred_at, recorded_at, external_message_id)
          select a.instance_id, a.id, t.place, t.author_type, nullif(t.author_id, '')::int8, t.text, t.occurred_at,
            ${now}::timestamptz, nullif(t.external_id, '') from ${sql.literal(made)}, ${unnested(sql, messages)}),`
    const rows = yield* sql`with ${supposed} ${numbered}
      a as materialized (select nextval('appeals_id_seq') as id, ${instanceId}::int8 as instance_id,
          ${kind}::text as kind, ${draft.clientId}::int8 as client_id, ${draft.subjectId}::int8 as subject_id,
          ${draft.operatorId}::int8 as operator_id, ${idArray(sql, draft.operatorIds)} as operator_ids,
          ${draft.authorId}::int8 as author_id, ${number}::int8 as number, ${draft.title}::text as title,
          ${draft.description}::text as description, ${draft.status}::text as status,
          ${draft.statusGroup}::text as status_group, ${draft.priority}::text as priority,
          ${draft.channel}::text as channel, ${draft.chatId}::text as chat_id, ${draft.botId}::int8 as bot_id,
          ${idArray(sql, draft.chatIds)} as chat_ids, ${draft.isOutgoing}::bool as is_outgoing,
          ${draft.tags}::text[] as tags, ${draft.comment}::text as comment,
          ${JSON.stringify(draft.customFields)}::text::json as custom_fields, ${messages.length}::int4 as message_count,
          ${timeOf(sql, draft.waitingSince)} as waiting_since, ${timeOf(sql, draft.firstResponseAt)} as first_response_at,
          ${timeOf(sql, messages.at(-1)?.occurredAt ?? null)} as last_message_at, ${timeOf(sql, draft.dueAt)} as due_at,
          ${draft.closedBy}::int8 as closed_by, ${timeOf(sql, draft.createdAt)} as created_at,
          ${now}::timestamptz as updated_at, ${timeOf(sql, draft.closedAt)} as closed_at, 1::int8 as version
        ${sql.literal(alone === undefined ? "" : "from fit")}),
      shown as materialized (select ${shown} as record from a),
      ${claim === null ? none : sql`receipt as (${receiptFrom(sql, claim, "shown")}),`}
      appeal as (insert into appeals (${sql.literal(appealColumns)}) select ${sql.literal(appealColumns)}
        from ${sql.literal(made)}),
      ${written}
      entry as (${auditedFrom(sql, made, entry, { entityId: "a.id::text" })})
      select record from shown ${sql.literal(claim === null ? "" : ", receipt")}`
    if (isLong) yield* insertSlices(sql, instanceId, yield* idIn(rows), { slices, now })
    return rows
  })

const decodeIds = Schema.decodeUnknownEffect(
  Schema.NonEmptyArray(Schema.Struct({ record: Schema.Struct({ id: Schema.Int }) }))
)
const idIn = (rows: ReadonlyArray<unknown>): Effect.Effect<number> =>
  Effect.orDie(Effect.map(decodeIds(rows), ([{ record }]) => record.id))

/** The messages of a new appeal, a statement for each slice; what is written already is their place. */
const insertSlices = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  appealId: number,
  history: { readonly slices: ReadonlyArray<ReadonlyArray<MessageDraft>>; readonly now: string }
): Effect.fn.Return<void, SqlError.SqlError> {
  let place = 0
  for (const slice of history.slices) {
    yield* Effect.yieldNow
    yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id)
      select ${instanceId}::int8, ${appealId}::int8, ${place}::int4 + t.place, t.author_type,
        nullif(t.author_id, '')::int8, t.text, t.occurred_at, ${history.now}::timestamptz, nullif(t.external_id, '')
      from ${unnested(sql, slice)}`
    place += slice.length
  }
})

/** All columns of `appeals`; those of a receipt bear none of these names. */
const appealColumns = `id, instance_id, kind, client_id, subject_id, operator_id, operator_ids, author_id, number, title,
  description, status, status_group, priority, channel, chat_id, bot_id, chat_ids, is_outgoing, tags, comment, custom_fields,
  message_count, waiting_since, first_response_at, last_message_at, due_at, closed_by, created_at, updated_at, closed_at,
  version`

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
