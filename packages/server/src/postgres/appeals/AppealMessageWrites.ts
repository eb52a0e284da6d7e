// A message appended to a chat or ticket: one statement with its receipt, its delivery and its audit entry (contract §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type {
  AppealMessageOutcome,
  AppealMessageWrite,
  AppealStore
} from "@rapport/core/appeals/AppealStore.ts"
import { Effect, Schema } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { enqueuedFrom } from "../delivery/Enqueued.ts"
import {
  commonValues,
  untilRowDecided,
  entriesOf,
  inProgressOrOvertaken,
  joinKept,
  joinKnown,
  keptVerdicts,
  writeStatement,
  type WriteValues,
  writeValues
} from "../receipts/WriteStatement.ts"
import type { Tables } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { appealVisible } from "../sql/Visibility.ts"
import { continuation, continuedBy, reopens } from "./ContinuedAppeal.ts"
import { lockStatuses } from "./TicketStatuses.ts"
import { answeredBy } from "./AppealAnswering.ts"
import { attachable, joinCarried } from "../files/FileStorePostgres.ts"
import { principalOf } from "../receipts/ReceiptsPostgres.ts"
import { messageJson } from "./AppealColumns.ts"

/** `notify` runs after the commit, with whether a delivery was enqueued. */
export const appealMessageWrites = (
  sql: Sql,
  notify: (isLeaving: boolean) => Effect.Effect<void>
): Pick<AppealStore["Service"], "addMessage"> => ({
  addMessage: queryOr("AppealStore.addMessage", inProgressOrOvertaken, function* (session, message) {
    const mayReopenTicket = message.kind === "ticket" && message.authorType === "client"
    const outcome = yield* untilRowDecided<AppealMessageOutcome, never>(sql, (isRepeated) => {
      const locks = [
        ...(mayReopenTicket ? [lockStatuses(sql, session, "for use")] : []),
        ...(isRepeated ? [lockAppeal(sql, session, message)] : [])
      ]
      const written = write(sql, session, message)
      return locks.length === 0
        ? written
        : sql.withTransaction(Effect.andThen(Effect.all(locks, { discard: true }), written))
    })
    if (outcome._tag === "Added") yield* notify(outcome.message.delivery === "queued")
    return outcome
  })
})

const rowOf = ({ prepared, ...message }: AppealMessageWrite) => ({
  ...commonValues(prepared),
  "kind text": message.kind,
  "appeal_id int8": message.appealId,
  "author_type text": message.authorType,
  "author_id int8": message.authorId,
  "text text": message.text,
  "occurred_at timestamptz": isoOf(message.occurredAt),
  "external_message_id text": message.externalMessageId,
  "visibility text": message.visibility,
  "file_ids uuid[]": message.attachmentIds,
  "delivery_id uuid": message.deliveryId
})

/** A condition on `given` and its appeal `a`: the named author may have written the message. */
const authorFits = `given.author_id is null or case given.author_type
  when 'client' then exists (select 1 from clients named where named.instance_id = a.instance_id
    and named.id = given.author_id and coalesce(named.merged_into_id, named.id) = a.client_id)
  when 'operator' then exists (select 1 from users author where author.instance_id = a.instance_id
    and author.id = given.author_id)
  when 'bot' then exists (select 1 from bots bot where bot.instance_id = a.instance_id and bot.id = given.author_id)
  else false end`

const isClient = (row: string): string => `${row}.author_type = 'client' and ${row}.visibility = 'public'`

/** A client's message after the end of `a` that is written soon enough, so that an old history reopens nothing. */
const reopensAppeal = (a: string, message: string): Fragment =>
  sql`${sql.literal(isClient(message))} and ${sql.literal(message)}.occurred_at >= ${sql.literal(a)}.closed_at
    and ${reopens(a, sql.literal(`${message}.committed_at`))}`

/**
 * The verdict on the snapshot. For an appeal that the caller cannot see, 404 wins over a full instance. A receipt keeps no text, so a
 * repeat finds the message; only an erasure deletes it before the receipt.
 */
const selectVerdicts = (values: WriteValues): Fragment =>
  sql`select given.*, a.client_id, a.message_count as seen_count, carried.attachments,
        case when kept.answer is null then known.record else (known.record::jsonb || kept.answer::jsonb)::json end as record,
        case when a.id is null then 'NotFound'
          when kept.fingerprint = given.fingerprint and known.record is null then 'ClientErased'
          ${sql.literal(keptVerdicts)}
          when c.erased_at is not null then 'ClientErased'
          when known.record is not null then 'Known'
          when not (${sql.literal(authorFits)}) then 'UnknownAuthor'
          when cardinality(given.file_ids) > carried.count then 'UnknownFile'
          when a.status = 'closed' and a.kind = 'chat' and given.visibility = 'public'
            and not (${reopensAppeal("a", "given")}) then 'Closed'
          else 'Write' end as verdict
      from given left join lateral (select a.* from appeals a, caller u where a.instance_id = u.instance_id
          and a.id = given.appeal_id and a.kind = given.kind and ${appealVisible} limit 1) a on true
        left join clients c on c.instance_id = a.instance_id and c.id = a.client_id
        ${joinKept(values)}
        ${joinKnown(values, {
          table: "appeal_messages",
          idType: "int8",
          owner: "message.appeal_id = a.id",
          json: messageJson
        })}
        ${joinCarried(values)}`

/**
 * The client before the appeal, as in the order of locks, then the new message. If other messages were committed after the snapshot,
 * it is written only if it depends on none of them: no external id, the latest message, of a client who is known to have written.
 */
const ready = (values: WriteValues): Tables => ({
  client: sql`select c.id from clients c where c.instance_id = ${values.instanceId}::int8
        and c.id in (select found.client_id from found where found.verdict = 'Write')
        and c.merged_into_id is null and c.erased_at is null for key share`,
  locked: sql`select a.* from appeals a, found, client, caller u where a.instance_id = ${values.instanceId}::int8
        and a.id = found.appeal_id and a.client_id = client.id
        and (a.kind = 'ticket' or a.status <> 'closed' or found.visibility = 'internal'
          or ${reopensAppeal("a", "found")})
        and ${appealVisible}
      for no key update of a`,
  // Another message may have taken a file since the snapshot.
  carried: sql`select file.id from files file, found, locked where file.instance_id = ${values.instanceId}::int8
        and file.id = any(found.file_ids) and ${attachable(principalOf(values))} for update of file`,
  message: sql`select found.key, found.operation, found.receipt_id, found.fingerprint, found.committed_at, found.details,
        found.place, found.kind, found.delivery_id, locked.instance_id, nextval('appeal_messages_id_seq') as id,
        locked.id as appeal_id, locked.message_count + 1 as sequence, found.author_type,
        case found.author_type when 'client' then locked.client_id else found.author_id end as author_id,
        found.text, found.occurred_at, found.committed_at as recorded_at, found.external_message_id, found.visibility,
        found.attachments, found.file_ids,
        case when found.visibility = 'public' then found.occurred_at end as said_at,
        case when found.delivery_id is not null and locked.kind = 'chat' and locked.bot_id is not null
          and locked.chat_id is not null and locked.channel is not null then 'queued' else 'none' end as delivery,
        1::int8 as version, null::timestamptz as edited_at, null::timestamptz as deleted_at,
        locked.bot_id, locked.channel, locked.chat_id, locked.client_id, answered.waiting_since,
        answered.first_response_at, continued.status, continued.status_group, continued.reopened, continued.continued
      from found, locked, ${continuedBy(
        "locked",
        { isClient: sql.literal(isClient("found")), occurredAt: sql.literal("found.occurred_at") },
        reopensAppeal("locked", "found")
      )} continued, ${answeredBy("locked", {
        authorType: sql.literal("case when found.visibility = 'public' then found.author_type end"),
        occurredAt: sql.literal("case when found.visibility = 'public' then found.occurred_at end")
      })} answered
      where cardinality(found.file_ids) = (select count(*) from carried)
        and (locked.message_count = found.seen_count or (found.external_message_id is null
          and (locked.kind = 'ticket' or (answered.client_wrote and not answered.is_late))))`,
  ready: sql`select message.*, ${sql.literal(messageJson)} as record from message`
})

const appendedColumns = `${continuation("free")}, message_count = free.sequence, waiting_since = free.waiting_since,
  first_response_at = free.first_response_at, updated_at = free.recorded_at,
  last_message_at = greatest(a.last_message_at, free.said_at),
  operator_ids = case when free.author_type = 'operator' and not (free.author_id = any(a.operator_ids))
    then a.operator_ids || free.author_id else a.operator_ids end`

const messageColumns = `instance_id, appeal_id, sequence, id, author_type, author_id, text, occurred_at, recorded_at,
  external_message_id, delivery, visibility, attachments`

const insertions = (values: WriteValues): Tables => ({
  appeal: sql.literal(`update appeals a set ${appendedColumns} from free
      where a.instance_id = free.instance_id and a.id = free.appeal_id`),
  inserted: sql.literal(`insert into appeal_messages (${messageColumns}) select ${messageColumns} from free`),
  attached: sql`update files file set appeal_id = free.appeal_id, message_id = free.id, expires_at = null from free
      where file.instance_id = free.instance_id and file.id = any(free.file_ids)`,
  leaving: sql`select instance_id, delivery_id, bot_id, channel, chat_id, client_id, appeal_id, id as message_id,
        text from free where delivery = 'queued'`,
  ...enqueuedFrom("operator", "leaving"),
  entry: entriesOf(values, "free", {
    action: "operation",
    entity: "kind",
    entityId: "appeal_id",
    details: `jsonb_build_object('sequence', sequence, 'authorType', author_type)
      || case when continued then jsonb_build_object('status', status) else '{}' end`
  })
})

const outcomeRows = rowsOf(
  Schema.Union([
    Schema.Struct({
      _tag: Schema.Literals(["Added", "Replayed", "Known"]),
      message: Schema.toCodecJson(AppealMessage)
    }),
    Schema.Struct({
      _tag: Schema.Literals([
        "KeyReused",
        "Refused",
        "NotFound",
        "ClientErased",
        "UnknownAuthor",
        "UnknownFile",
        "Closed",
        "Retry"
      ])
    })
  ])
)

const write = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  message: AppealMessageWrite
) {
  const values = yield* writeValues(session, [rowOf(message)])
  return yield* outcomeRows.get(
    writeStatement(sql, values, {
      tables: { found: selectVerdicts(values), ...ready(values) },
      answer: "json_build_object('id', id, 'appealId', appeal_id, 'delivery', delivery)",
      writes: insertions(values),
      outcome: sql`select case when free.id is not null then 'Added' when found.verdict = 'Write' then 'Retry'
          else found.verdict end as _tag, coalesce(free.record, found.record) as message
        from found left join free on true`
    })
  )
})

const lockAppeal = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { appealId }: AppealMessageWrite
) => sql`with client as materialized (select c.id from clients c where c.instance_id = ${instanceId}
    and c.id = (select a.client_id from appeals a where a.instance_id = ${instanceId} and a.id = ${appealId})
    for key share)
  select 1 from appeals a join client on client.id = a.client_id
    where a.instance_id = ${instanceId} and a.id = ${appealId} for no key update of a`
