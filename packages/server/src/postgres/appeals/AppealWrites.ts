// How a new chat or ticket with its messages is written: one statement with its receipt and its audit entry (contract §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AppealDraft, type MessageDraft, slicesOf } from "@rapport/core/appeals/AppealDraft.ts"
import { managePermission } from "@rapport/core/appeals/AppealRights.ts"
import type { AppealOutcome, AppealWrite, UnknownFiles } from "@rapport/core/appeals/AppealStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import {
  commonValues,
  untilRowDecided,
  entriesOf,
  inProgressOrOvertaken,
  joinKept,
  keptVerdicts,
  type RetryWrite,
  writeStatement,
  type WriteValues,
  writeValues
} from "../receipts/WriteStatement.ts"
import { attachHistoryFiles } from "../files/FileStorePostgres.ts"
import { nameOf } from "../sql/Columns.ts"
import { queryOr, type Rows, rowsOf } from "../sql/Query.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { rolesHold } from "../sql/Visibility.ts"
import { KnownRow, referenceTables } from "./AppealReferences.ts"

const messageRow = (message: MessageDraft) => ({
  author_type: message.authorType,
  author_id: message.authorId,
  text: message.text,
  occurred_at: isoOf(message.occurredAt),
  external_message_id: message.externalMessageId,
  visibility: message.visibility
})

interface AddedMessages {
  /** SQL of the columns of `owner`: instance_id, id and client_id of the appeal, its number of messages `count`, and recorded_at. */
  readonly owner: Fragment
  /** A JSON array of `messageRow`. It may be a column of `owner`. */
  readonly messages: Fragment
}

/** Adds messages to a history, those of a client with the id of the client. A condition on `added` and `owner` may follow. */
const addMessages = ({ messages, owner }: AddedMessages): Fragment =>
  sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at, recorded_at,
      external_message_id, visibility)
    select owner.instance_id, owner.id, owner.count + row_number() over (order by added.place), added.author_type,
      case when added.author_type = 'client' then owner.client_id else added.author_id end, added.text,
      added.occurred_at, owner.recorded_at, added.external_message_id, added.visibility
    from (${owner}) owner, rows from (json_to_recordset(${messages}) as (author_type text, author_id int8, text text,
      occurred_at timestamptz, external_message_id text, visibility text)) with ordinality
      as added(author_type, author_id, text, occurred_at, external_message_id, visibility, place)`

/** `addMessages` to a stored appeal, which had `count` messages. */
export const addSlice = (
  { instanceId }: AuthorizedSession,
  appeal: { readonly id: number; readonly clientId: number; readonly count: number },
  slice: ReadonlyArray<MessageDraft>,
  recordedAt: number
): Fragment =>
  addMessages({
    owner: sql`select ${instanceId}::int8 as instance_id, ${appeal.id}::int8 as id, ${appeal.clientId}::int8 as client_id,
      ${appeal.count}::int4 as count, ${timeOf(recordedAt)} as recorded_at`,
    messages: sql`${JSON.stringify(slice.map(messageRow))}::text::json`
  })

/** Reads the outcomes of creations of a kind of appeal. */
export const outcomesOf = <A, I>(appeal: Schema.Codec<A, I>) =>
  rowsOf(
    Schema.Union([
      Schema.Struct({
        _tag: Schema.Literals(["Created", "Replayed"]),
        appeal: Schema.toCodecJson(appeal)
      }),
      Schema.TaggedStruct("Known", { id: Schema.Int }),
      Schema.TaggedStruct("Invalid", { known: KnownRow }),
      Schema.Struct({
        _tag: Schema.Literals(["KeyReused", "Refused", "NumberInUse", "StatusesChanged", "Retry"])
      })
    ])
  )

interface Creation<A> {
  readonly session: AuthorizedSession
  readonly write: AppealWrite
  /** SQL of the record of `appeals a`. */
  readonly json: string
  readonly outcomes: {
    readonly get: (rows: Rows) => Effect.Effect<AppealOutcome<A> | RetryWrite, SqlError.SqlError>
  }
}

/** `notify` runs after the commit. */
export const createAppeal = <A extends { readonly id: number; readonly clientId: number }>(
  sql: Sql,
  notify: Effect.Effect<void>,
  creation: Creation<A>
): Effect.Effect<AppealOutcome<A>, IdempotencyInProgress | SourceUnavailable> =>
  queryOr("AppealStore.create", inProgressOrOvertaken, function* () {
    const { draft } = creation.write
    const slices = slicesOf(draft.messages)
    const isLong = slices.length > 1 || draft.messages.some(({ attachmentIds }) => attachmentIds.length > 0)
    const once = Effect.gen(function* () {
      const outcome = yield* insert(sql, creation, isLong ? [] : draft.messages)
      if (isLong && outcome._tag === "Created")
        yield* insertSlices(sql, creation.session, outcome.appeal, draft)
      return outcome
    })
    // A refusal rolls back the appeal.
    const outcome = yield* untilRowDecided<AppealOutcome<A>, UnknownFiles>(sql, () =>
      isLong ? sql.withTransaction(once) : once
    ).pipe(Effect.catchTag("UnknownFiles", (unknown) => Effect.succeed(unknown)))
    if (outcome._tag === "Created") yield* notify
    return outcome
  })()

/** The columns of `appeals` except the ids and the client, who may have been merged meanwhile. */
const columnsOf = (draft: AppealDraft) => ({
  "kind text": draft.kind,
  "subject_id int8": draft.subjectId,
  "operator_id int8": draft.operatorId,
  "operator_ids int8[]": draft.operatorIds,
  "author_id int8": draft.authorId,
  "author_type text": draft.authorType,
  "title text": draft.title,
  "description text": draft.description,
  "status text": draft.status,
  "status_group text": draft.statusGroup,
  "priority text": draft.priority,
  "channel text": draft.channel,
  "chat_id text": draft.chatId,
  "bot_id int8": draft.botId,
  "chat_ids int8[]": draft.chatIds,
  "is_outgoing bool": draft.isOutgoing,
  "tags text[]": draft.tags,
  "comment text": draft.comment,
  "custom_fields json": draft.customFields,
  "message_count int4": draft.messages.length,
  "waiting_since timestamptz": isoOrNull(draft.waitingSince),
  "first_response_at timestamptz": isoOrNull(draft.firstResponseAt),
  "last_message_at timestamptz": isoOrNull(
    draft.messages.findLast(({ visibility }) => visibility === "public")?.occurredAt ?? null
  ),
  "due_at timestamptz": isoOrNull(draft.dueAt),
  "closed_by int8": draft.closedBy,
  "postponed_until timestamptz": null,
  "created_at timestamptz": isoOf(draft.createdAt),
  "updated_at timestamptz": isoOf(draft.recordedAt),
  "closed_at timestamptz": isoOrNull(draft.closedAt),
  "external_id text": draft.externalId,
  "source text": draft.source,
  "version int8": 1
})

const isoOrNull = (millis: number | null) => (millis === null ? null : isoOf(millis))

/** The new appeal with these messages, its receipt and its audit entry. */
const insert = Effect.fnUntraced(function* <A>(
  sql: Sql,
  { json, outcomes, session, write }: Creation<A>,
  messages: ReadonlyArray<MessageDraft>
): Effect.fn.Return<AppealOutcome<A> | RetryWrite, SqlError.SqlError> {
  const { draft, named, prepared } = write
  const isTicket = draft.kind === "ticket"
  const columns = columnsOf(draft)
  const inserted = ["instance_id", "id", "client_id", "number", ...Object.keys(columns).map(nameOf)].join(
    ", "
  )
  const values = yield* writeValues(session, [
    {
      ...commonValues(prepared),
      ...columns,
      "wanted_number int8": draft.number,
      "messages json": messages.map(messageRow)
    }
  ])
  return yield* outcomes.get(
    writeStatement(sql, values, {
      tables: {
        statuses: isTicket && lockedStatuses(session),
        ...referenceTables(session, named),
        found: selectVerdicts(values, write),
        numbered: isTicket && nextTicketNumber(session),
        a: appealRow(session, isTicket),
        ready: sql.literal(`select a.*, ${json} as answer from a`)
      },
      answer: "answer",
      writes: {
        appeal: sql.literal(`insert into appeals (${inserted}) select ${inserted} from free`),
        message: addMessages({
          owner: sql.literal("select *, 0 as count, updated_at as recorded_at from free"),
          messages: sql.literal("owner.messages")
        }),
        entry: entriesOf(values, "free", {
          action: "operation",
          entity: "kind",
          entityId: "id",
          details: "jsonb_build_object('clientId', client_id, 'messages', message_count)"
        })
      },
      outcome: sql`select case when free.id is not null then 'Created' when found.verdict = 'Write' then 'Retry'
          else found.verdict end as _tag, coalesce(free.answer, found.kept_answer) as appeal,
          found.stored_id::float8 as id, known.record as known
        from known, found left join free on true`
    })
  )
})

const lockedStatuses = ({ instanceId }: AuthorizedSession): Fragment =>
  sql`select version from ticket_status_versions where instance_id = ${instanceId} for share`

const isEmpty = (member: string) => sql.literal(`json_array_length(known.record->'${member}') = 0`)

/** The verdict; a merge that was waited for has moved the client. */
const selectVerdicts = (
  values: WriteValues,
  { draft, isValid, named, statusesVersion }: AppealWrite
): Fragment => {
  const isStale =
    statusesVersion === null ? sql`false` : sql`(select version from statuses) <> ${statusesVersion}::int8`
  return sql`select given.*, kept.answer as kept_answer, external.id as stored_id, case ${sql.literal(keptVerdicts)}
      when external.id is not null then 'Known'
      when given.wanted_number is not null and exists (select 1 from appeals numbered
        where numbered.instance_id = ${values.instanceId}::int8 and numbered.number = given.wanted_number) then 'NumberInUse'
      when not (known.record->>'isLocked')::bool then 'Retry'
      when ${isStale} then 'StatusesChanged'
      when ${isValid}::bool and known.record->>'clientId' is not null
        and (${named.subjectId}::int8 is null or (known.record->>'subject')::bool)
        and (${named.operatorId}::int8 is null or exists (select 1 from locked_operator operator
          where ${draft.closedAt !== null}::bool or operator.status = 'active' and ${sql.literal(rolesHold("operator.roles", managePermission[draft.kind]))}))
        and ${isEmpty("unknownAuthorIds")} and ${isEmpty("otherClientIds")} and ${isEmpty("unknownChatIds")}
        and ${isEmpty("unknownBotIds")} then 'Write'
      else 'Invalid' end as verdict
    from known, given ${joinKept(values)}
      left join lateral (select appeal.id from appeals appeal where appeal.instance_id = ${values.instanceId}::int8
        and appeal.kind = given.kind and appeal.source = given.source and appeal.external_id = given.external_id
        limit 1) external on true`
}

/** The messages of a new appeal, a statement for each slice. */
const insertSlices = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  appeal: { readonly id: number; readonly clientId: number },
  { messages, recordedAt }: AppealDraft
): Effect.fn.Return<void, SqlError.SqlError | UnknownFiles> {
  let count = 0
  for (const slice of slicesOf(messages)) {
    yield* Effect.yieldNow
    yield* sql`${addSlice(session, { ...appeal, count }, slice, recordedAt)}`
    count += slice.length
  }
  yield* attachHistoryFiles(sql, session, { appealId: appeal.id, after: 0, messages })
})

const nextTicketNumber = ({ instanceId }: AuthorizedSession): Fragment =>
  sql`update instances set last_ticket_number = greatest(last_ticket_number, coalesce(found.wanted_number,
      last_ticket_number + 1)) from found where id = ${instanceId} and found.verdict = 'Write'
    returning coalesce(found.wanted_number, last_ticket_number) as number`

/** The row of `appeals` with its ids. */
const appealRow = ({ instanceId }: AuthorizedSession, isTicket: boolean): Fragment =>
  sql`select found.*, ${instanceId}::int8 as instance_id, nextval('appeals_id_seq') as id, client.id as client_id,
      ${sql.literal(isTicket ? "(select number from numbered)" : "null")}::int8 as number
    from found, client where found.verdict = 'Write'`
