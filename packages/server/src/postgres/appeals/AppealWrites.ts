// How a new chat or ticket with its messages is written: one statement with its receipt and its audit entry (contract §7).
import { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AppealDraft, type MessageDraft, slicesOf } from "@rapport/core/appeals/AppealDraft.ts"
import type { AppealOutcome, AppealStore, AppealWrite } from "@rapport/core/appeals/AppealStore.ts"
import { KeptTicket } from "@rapport/core/appeals/KeptTicket.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { inProgressOrUnavailable, principalOf, receiptFrom } from "../receipts/ReceiptsPostgres.ts"
import { type Again, again, untilDecided } from "../receipts/WriteStatement.ts"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { idArray } from "../sql/IdArray.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { rolesHold } from "../sql/Visibility.ts"
import { chatJson, ticketJson } from "./AppealColumns.ts"
import { KnownRow, referencesQuery } from "./AppealReferences.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
type Store = AppealStore["Service"]

/** Nothing, where the driver would not know the type of an array of nulls. */
const ABSENT = ""

/** `unnest(…) with ordinality` of messages: their place is their sequence. */
const unnested = (sql: Sql, messages: ReadonlyArray<MessageDraft>): Fragment =>
  sql`unnest(${messages.map((m) => m.authorType)}::text[],
    ${messages.map((m) => (m.authorId === null ? ABSENT : String(m.authorId)))}::text[],
    ${messages.map((m) => m.text)}::text[],
    ${messages.map((m) => isoOf(m.occurredAt))}::text[]::timestamptz[],
    ${messages.map((m) => m.externalMessageId ?? ABSENT)}::text[])
    with ordinality as added(author_type, author_id, text, occurred_at, external_id, place)`

/** `notify` runs after the commit. */
export const appealWrites = (
  sql: Sql,
  notify: Effect.Effect<void>
): Pick<Store, "createChat" | "createTicket"> => ({
  createChat: (session, write) => create(sql, notify, { session, write, ...chat }),
  createTicket: (session, write) => create(sql, notify, { session, write, ...ticket })
})

const chat = { json: chatJson, decode: Schema.decodeUnknownEffect(Schema.toCodecJson(Chat)) }
const ticket = { json: ticketJson, decode: Schema.decodeUnknownEffect(Schema.toCodecJson(KeptTicket)) }

interface Creation<A> {
  readonly session: AuthorizedSession
  readonly write: AppealWrite
  /** SQL of the record of `appeals a`. */
  readonly json: string
  readonly decode: (record: unknown) => Effect.Effect<A, Schema.SchemaError>
}

const create = <A extends { readonly id: number; readonly clientId: number }>(
  sql: Sql,
  notify: Effect.Effect<void>,
  creation: Creation<A>
): Effect.Effect<AppealOutcome<A>, IdempotencyInProgress | SourceUnavailable> =>
  queryOr(
    "AppealStore.create",
    creation.write.claim === null ? unavailableOrDie : inProgressOrUnavailable,
    function* () {
      const { draft } = creation.write
      const slices = slicesOf(draft.messages)
      const isLong = slices.length > 1
      const once = Effect.gen(function* () {
        const outcome = yield* insert(sql, creation, isLong ? [] : draft.messages)
        if (isLong && outcome._tag === "Created")
          yield* insertSlices(sql, creation.session, outcome.appeal, draft)
        return [outcome]
      })
      const [outcome = { _tag: "KeyReused" as const }] = yield* untilDecided<
        AppealDraft,
        AppealOutcome<A>,
        never
      >(sql, [draft], () => (isLong ? sql.withTransaction(once) : once))
      if (outcome._tag === "Created") yield* notify
      return outcome
    }
  )()

const OutcomeRow = Schema.Struct({
  outcome: Schema.Literals(["Created", "Replayed", "KeyReused", "StatusesChanged", "Refused", "Again"]),
  record: Schema.Unknown,
  known: KnownRow
})
const outcomeRows = rowsOf(OutcomeRow)

/** The new appeal with these messages, its receipt and its audit entry. */
const insert = Effect.fnUntraced(function* <A>(
  sql: Sql,
  { decode, json, session, write }: Creation<A>,
  messages: ReadonlyArray<MessageDraft>
): Effect.fn.Return<AppealOutcome<A> | Again, SqlError.SqlError> {
  const { claim, draft, named } = write
  const isTicket = draft.kind === "ticket"
  const entry = yield* entryOf(session, { action: `${draft.kind}.create`, id: "" })
  const checkReferences = referencesQuery(sql, session, named)
  const { known, outcome, record } = yield* outcomeRows.get(
    statement(
      sql,
      [
        checkReferences.common,
        isTicket && cte(sql, "statuses", lockedStatuses(sql, session), "materialized"),
        cte(sql, "known", sql`select ${checkReferences.known} as record`, "materialized"),
        cte(sql, "judged", judged(sql, session, write), "materialized"),
        isTicket && cte(sql, "numbered", nextTicketNumber(sql, session)),
        cte(sql, "a", appealRow(sql, session, draft), "materialized"),
        cte(sql, "shown", sql.literal(`select ${json} as record from a`), "materialized"),
        claim !== null && cte(sql, "claimed", receiptFrom(sql, claim, "shown")),
        cte(
          sql,
          "made",
          sql.literal(`select a.* from a ${claim === null ? "" : ", claimed"}`),
          "materialized"
        ),
        cte(
          sql,
          "appeal",
          sql.literal(`insert into appeals (${appealColumns}) select ${appealColumns} from made`)
        ),
        messages.length > 0 && cte(sql, "messages", insertMessages(sql, messages)),
        cte(
          sql,
          "entry",
          auditedFrom(sql, "made", entry, {
            entityId: "made.id::text",
            details: "json_build_object('clientId', made.client_id, 'messages', made.message_count)"
          })
        )
      ],
      sql`select case when judged.outcome <> 'New' then judged.outcome when made.id is null then 'Again' else 'Created' end
          as outcome, coalesce(shown.record, judged.answer) as record, known.record as known
        from known join judged on true left join made on true left join shown on true`
    )
  )
  switch (outcome) {
    case "Again":
      return again
    case "Created":
    case "Replayed":
      return { _tag: outcome, appeal: yield* Effect.orDie(decode(record)) }
    case "Refused":
      return { _tag: outcome, known: { ...known, operator: known.operator ?? undefined } }
    default:
      return { _tag: outcome }
  }
})

const lockedStatuses = (sql: Sql, { instanceId }: AuthorizedSession): Fragment =>
  sql`select version from ticket_status_versions where instance_id = ${instanceId} for share`

/** Whether the appeal may be written; a merge that was waited for has moved the client. */
const judged = (
  sql: Sql,
  session: AuthorizedSession,
  { claim, draft, isValid, named, statusesVersion }: AppealWrite
): Fragment => {
  const permission = draft.kind === "chat" ? "chats.manage" : "tickets.manage"
  const isStale =
    statusesVersion === null
      ? sql`false`
      : sql`coalesce((select version from statuses), 1) <> ${statusesVersion}::int8`
  const isEmpty = (member: string) => sql.literal(`json_array_length(known.record->'${member}') = 0`)
  return sql`select kept.answer, case when kept.fingerprint <> ${claim?.fingerprint ?? null}::text then 'KeyReused'
      when kept.fingerprint is not null then 'Replayed'
      when not (known.record->>'isHeld')::bool then 'Again'
      when ${isStale} then 'StatusesChanged'
      when ${isValid}::bool and known.record->>'clientId' is not null
        and (${named.subjectId}::int8 is null or (known.record->>'subject')::bool)
        and (${named.operatorId}::int8 is null or exists (select 1 from held_operator operator
          where operator.status = 'active' and ${sql.literal(rolesHold("operator.roles", permission))}))
        and ${isEmpty("unknownAuthorIds")} and ${isEmpty("otherClientIds")} and ${isEmpty("unknownChatIds")}
        and ${isEmpty("unknownBotIds")} then 'New'
      else 'Refused' end as outcome
    from known left join receipts kept on kept.instance_id = ${session.instanceId}
      and kept.principal = ${principalOf(session)} and kept.operation = ${claim?.operation ?? null}::text
      and kept.key = ${claim?.key ?? null}::text`
}

/** The messages of a new appeal, a statement for each slice; what is written already is their place. */
const insertSlices = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  appeal: { readonly id: number; readonly clientId: number },
  { messages, recordedAt }: AppealDraft
): Effect.fn.Return<void, SqlError.SqlError> {
  let place = 0
  for (const slice of slicesOf(messages)) {
    yield* Effect.yieldNow
    yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id)
      select ${instanceId}::int8, ${appeal.id}::int8, ${place}::int4 + added.place, added.author_type,
        case when added.author_type = 'client' then ${appeal.clientId}::int8 else nullif(added.author_id, '')::int8 end,
        added.text, added.occurred_at, ${timeOf(sql, recordedAt)}, nullif(added.external_id, '')
      from ${unnested(sql, slice)}`
    place += slice.length
  }
})

const nextTicketNumber = (sql: Sql, { instanceId }: AuthorizedSession): Fragment =>
  sql`update instances set last_ticket_number = last_ticket_number + 1
    where id = ${instanceId} and exists (select 1 from judged where judged.outcome = 'New') returning last_ticket_number`

/** The row of `appeals` with its id. */
const appealRow = (sql: Sql, { instanceId }: AuthorizedSession, draft: AppealDraft): Fragment => {
  const number = sql.literal(draft.kind === "chat" ? "null" : "(select last_ticket_number from numbered)")
  const lastMessageAt = draft.messages.at(-1)?.occurredAt ?? null
  return sql`select nextval('appeals_id_seq') as id, ${instanceId}::int8 as instance_id,
    ${draft.kind}::text as kind, client.id as client_id, ${draft.subjectId}::int8 as subject_id,
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
    ${timeOf(sql, draft.recordedAt)} as updated_at, ${timeOf(sql, draft.closedAt)} as closed_at, 1::int8 as version
    from judged, client where judged.outcome = 'New'`
}

const insertMessages = (sql: Sql, messages: ReadonlyArray<MessageDraft>): Fragment =>
  sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text,
      occurred_at, recorded_at, external_message_id)
    select made.instance_id, made.id, added.place, added.author_type,
      case when added.author_type = 'client' then made.client_id else nullif(added.author_id, '')::int8 end, added.text,
      added.occurred_at, made.updated_at, nullif(added.external_id, '') from made, ${unnested(sql, messages)}`

/** All columns of `appeals`. */
const appealColumns = `id, instance_id, kind, client_id, subject_id, operator_id, operator_ids, author_id, author_type, number, title,
  description, status, status_group, priority, channel, chat_id, bot_id, chat_ids, is_outgoing, tags, comment, custom_fields,
  message_count, waiting_since, first_response_at, last_message_at, due_at, closed_by, created_at, updated_at, closed_at,
  version`
