// How a new appeal with its messages is written: one statement, its audit entry in it
// (docs/contract.md §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AppealDraft, type MessageDraft, slicesOf } from "@rapport/core/appeals/AppealDraft.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { chatJson, ticketJson } from "./AppealColumns.ts"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { idArray } from "../sql/IdArray.ts"
import { recordsOf, type Rows } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { timeOf } from "../sql/SqlTime.ts"

type Sql = SqlClient.SqlClient

/** Nothing, where the driver would not know the type of an array of nulls. */
const ABSENT = ""

/** `unnest(…) with ordinality` of messages: their place is their sequence. */
const unnested = (sql: Sql, messages: ReadonlyArray<MessageDraft>): Statement.Fragment =>
  sql`unnest(${messages.map((m) => m.authorType)}::text[],
    ${messages.map((m) => (m.authorId === null ? ABSENT : String(m.authorId)))}::text[],
    ${messages.map((m) => m.text)}::text[],
    ${messages.map((m) => isoOf(m.occurredAt))}::text[]::timestamptz[],
    ${messages.map((m) => m.externalMessageId ?? ABSENT)}::text[])
    with ordinality as added(author_type, author_id, text, occurred_at, external_id, place)`

/**
 * Rows whose `record` is the new chat or ticket as JSON. A ticket takes the next number of its instance. To be run in a
 * transaction: a long history takes several statements.
 */
export const insertAppeal = (sql: Sql, session: AuthorizedSession, draft: AppealDraft): Rows =>
  Effect.gen(function* () {
    const { clientId, kind, messages } = draft
    const isTicket = kind === "ticket"
    const slices = slicesOf(messages)
    const isLong = slices.length > 1
    const details = { clientId, messages: messages.length }
    const entry = yield* entryOf(session, { action: `${kind}.create`, id: "", details })
    const shown = sql.literal(`select ${isTicket ? ticketJson : chatJson} as record from a`)
    const rows = yield* statement(
      sql,
      [
        isTicket && cte(sql, "numbered", nextTicketNumber(sql, session)),
        cte(sql, "a", appealRow(sql, session, draft), "materialized"),
        cte(sql, "shown", shown, "materialized"),
        cte(
          sql,
          "appeal",
          sql.literal(`insert into appeals (${appealColumns}) select ${appealColumns} from a`)
        ),
        messages.length > 0 && !isLong && cte(sql, "messages", insertMessages(sql, draft)),
        cte(sql, "entry", auditedFrom(sql, "a", entry, { entityId: "a.id::text" }))
      ],
      sql.literal("select record from shown")
    )
    if (isLong) {
      const { id } = yield* appealIds.get(Effect.succeed(rows))
      yield* insertSlices(sql, session.instanceId, id, { slices, recordedAt: draft.recordedAt })
    }
    return rows
  })

const appealIds = recordsOf(Schema.Struct({ id: Schema.Int }))

/** The messages of a new appeal, a statement for each slice; what is written already is their place. */
const insertSlices = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  appealId: number,
  history: { readonly slices: ReadonlyArray<ReadonlyArray<MessageDraft>>; readonly recordedAt: number }
): Effect.fn.Return<void, SqlError.SqlError> {
  let place = 0
  for (const slice of history.slices) {
    yield* Effect.yieldNow
    yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id)
      select ${instanceId}::int8, ${appealId}::int8, ${place}::int4 + added.place, added.author_type,
        nullif(added.author_id, '')::int8, added.text, added.occurred_at, ${timeOf(sql, history.recordedAt)},
        nullif(added.external_id, '')
      from ${unnested(sql, slice)}`
    place += slice.length
  }
})

const nextTicketNumber = (sql: Sql, { instanceId }: AuthorizedSession): Statement.Fragment =>
  sql`update instances set last_ticket_number = last_ticket_number + 1
    where id = ${instanceId} returning last_ticket_number`

/** The row of `appeals` with its id. */
const appealRow = (sql: Sql, { instanceId }: AuthorizedSession, draft: AppealDraft): Statement.Fragment => {
  const number = sql.literal(draft.kind === "chat" ? "null" : "(select last_ticket_number from numbered)")
  const lastMessageAt = draft.messages.at(-1)?.occurredAt ?? null
  return sql`select nextval('appeals_id_seq') as id, ${instanceId}::int8 as instance_id,
    ${draft.kind}::text as kind, ${draft.clientId}::int8 as client_id, ${draft.subjectId}::int8 as subject_id,
    ${draft.operatorId}::int8 as operator_id, ${idArray(sql, draft.operatorIds)} as operator_ids,
    ${draft.authorId}::int8 as author_id, ${draft.authorType}::text as author_type, ${number}::int8 as number, ${draft.title}::text as title,
    ${draft.description}::text as description, ${draft.status}::text as status,
    ${draft.statusGroup}::text as status_group, ${draft.priority}::text as priority,
    ${draft.channel}::text as channel, ${draft.chatId}::text as chat_id, ${draft.botId}::int8 as bot_id,
    ${idArray(sql, draft.chatIds)} as chat_ids, ${draft.isOutgoing}::bool as is_outgoing,
    ${draft.tags}::text[] as tags, ${draft.comment}::text as comment,
    ${JSON.stringify(draft.customFields)}::text::json as custom_fields,
    ${draft.messages.length}::int4 as message_count,
    ${timeOf(sql, draft.waitingSince)} as waiting_since, ${timeOf(sql, draft.firstResponseAt)} as first_response_at,
    ${timeOf(sql, lastMessageAt)} as last_message_at, ${timeOf(sql, draft.dueAt)} as due_at,
    ${draft.closedBy}::int8 as closed_by, ${timeOf(sql, draft.createdAt)} as created_at,
    ${timeOf(sql, draft.recordedAt)} as updated_at, ${timeOf(sql, draft.closedAt)} as closed_at, 1::int8 as version`
}

const insertMessages = (sql: Sql, { messages, recordedAt }: AppealDraft): Statement.Fragment =>
  sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text,
      occurred_at, recorded_at, external_message_id)
    select a.instance_id, a.id, added.place, added.author_type, nullif(added.author_id, '')::int8, added.text, added.occurred_at,
      ${timeOf(sql, recordedAt)}, nullif(added.external_id, '') from a, ${unnested(sql, messages)}`

/** All columns of `appeals`. */
export const appealColumns = `id, instance_id, kind, client_id, subject_id, operator_id, operator_ids, author_id, author_type, number, title,
  description, status, status_group, priority, channel, chat_id, bot_id, chat_ids, is_outgoing, tags, comment, custom_fields,
  message_count, waiting_since, first_response_at, last_message_at, due_at, closed_by, created_at, updated_at, closed_at,
  version`
