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
import type { SqlClient, Statement } from "effect/sql"
import { enqueuedFrom } from "../delivery/Enqueued.ts"
import { inProgressOrUnavailable, principalOf, receiptFrom } from "../receipts/ReceiptsPostgres.ts"
import { type Again, again, untilDecided } from "../receipts/WriteStatement.ts"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"
import { answeredBy } from "./AppealAnswering.ts"
import { messageJson } from "./AppealColumns.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** `notify` runs after the commit, with whether a delivery was enqueued. */
export const appealMessageWrites = (
  sql: Sql,
  notify: (isLeaving: boolean) => Effect.Effect<void>
): Pick<AppealStore["Service"], "addMessage"> => ({
  addMessage: (session, message) =>
    queryOr(
      "AppealStore.addMessage",
      message.claim === null ? unavailableOrDie : inProgressOrUnavailable,
      function* () {
        const [outcome] = yield* untilDecided<AppealMessageWrite, AppealMessageOutcome, never>(
          sql,
          [message],
          (_, isRepeated) => {
            const written = Effect.map(write(sql, session, message), (found) => [found])
            return isRepeated
              ? sql.withTransaction(Effect.andThen(lockAppeal(sql, session, message), written))
              : written
          }
        )
        if (outcome?._tag === "Added") yield* notify(outcome.message.delivery === "queued")
        return outcome ?? { _tag: "Unknown" as const }
      }
    )()
})

/** The author that the message names is one that may have written it. */
const authorFits = (sql: Sql, { authorId, authorType }: AppealMessageWrite): Fragment => {
  if (authorId === null) return sql`true`
  switch (authorType) {
    case "client":
      return sql`exists (select 1 from clients named where named.instance_id = a.instance_id and named.id = ${authorId}
        and coalesce(named.merged_into_id, named.id) = a.client_id)`
    case "operator":
      return sql`exists (select 1 from users author where author.instance_id = a.instance_id and author.id = ${authorId})`
    case "bot":
      return sql`exists (select 1 from bots bot where bot.instance_id = a.instance_id and bot.id = ${authorId})`
    case "system":
      return sql`false`
  }
}

/** What the snapshot says: nothing where the caller sees no such appeal. */
const judged = (sql: Sql, session: AuthorizedSession, message: AppealMessageWrite): Fragment => {
  const { appealId, claim, externalMessageId, kind } = message
  return sql`select a.client_id, a.message_count as seen_count, coalesce(kept.answer, known.record) as record,
      case when kept.fingerprint <> ${claim?.fingerprint ?? null}::text then 'KeyReused'
        when kept.fingerprint is not null then 'Replayed'
        when c.erased_at is not null then 'ClientErased'
        when known.record is not null then 'Known'
        when not ${authorFits(sql, message)} then 'UnknownAuthor'
        when a.kind = 'chat' and a.status = 'closed' then 'Closed'
        else 'New' end as outcome
    from caller u join appeals a on a.instance_id = u.instance_id and a.id = ${appealId} and a.kind = ${kind}
        and ${appealVisible(sql)}
      join clients c on c.instance_id = a.instance_id and c.id = a.client_id
      left join receipts kept on kept.instance_id = a.instance_id and kept.principal = ${principalOf(session)}
        and kept.operation = ${claim?.operation ?? null}::text and kept.key = ${claim?.key ?? null}::text
      left join lateral (select ${sql.literal(messageJson)} as record from appeal_messages message
        where message.instance_id = a.instance_id and message.appeal_id = a.id
          and message.external_message_id = ${externalMessageId}::text) known on true`
}

/** The client before the appeal, as in the order of locks; gone where another transaction has changed what was judged. */
const locks = (sql: Sql, { instanceId }: AuthorizedSession, message: AppealMessageWrite) => [
  cte(
    sql,
    "client",
    sql`select c.id from clients c where c.instance_id = ${instanceId}
        and c.id in (select judged.client_id from judged where judged.outcome = 'New')
        and c.merged_into_id is null and c.erased_at is null for key share`,
    "materialized"
  ),
  cte(
    sql,
    "locked",
    sql`select a.* from appeals a, client, caller u where a.instance_id = ${instanceId} and a.id = ${message.appealId}
        and a.client_id = client.id and (a.kind = 'ticket' or a.status <> 'closed') and ${appealVisible(sql)}
      for no key update of a`,
    "materialized"
  )
]

/**
 * The new message with what it changes. Where others came after the snapshot, it stands only if it needs none of them: no external id,
 * the latest message, of a client who is known to have written.
 */
const addedMessage = (sql: Sql, message: AppealMessageWrite): Fragment => {
  const { authorId, authorType, deliveryId, externalMessageId, occurredAt, recordedAt, text } = message
  const author = sql`${authorType}::text`
  const said = sql`${isoOf(occurredAt)}::timestamptz`
  const leaves = sql`${deliveryId}::uuid is not null and locked.kind = 'chat' and locked.bot_id is not null
    and locked.chat_id is not null and locked.channel is not null`
  return sql`select locked.instance_id, nextval('appeal_messages_id_seq') as id, locked.id as appeal_id,
      locked.message_count + 1 as sequence, ${author} as author_type,
      ${authorType === "client" ? sql.literal("locked.client_id") : sql`${authorId}::int8`} as author_id,
      ${text}::text as text, ${said} as occurred_at, ${isoOf(recordedAt)}::timestamptz as recorded_at,
      ${externalMessageId}::text as external_message_id, case when ${leaves} then 'queued' else 'none' end as delivery,
      ${deliveryId}::uuid as delivery_id, locked.bot_id, locked.channel, locked.chat_id, locked.client_id,
      locked.operator_ids, answered.waiting_since, answered.first_response_at
    from judged, locked, ${answeredBy(sql, "locked", { authorType: author, occurredAt: said })} answered
    where locked.message_count = judged.seen_count or (${externalMessageId}::text is null
      and (locked.kind = 'ticket' or (answered.client_wrote and not answered.is_late)))`
}

const appendedColumns = `message_count = written.sequence, waiting_since = written.waiting_since,
  first_response_at = written.first_response_at, updated_at = written.recorded_at,
  last_message_at = greatest(a.last_message_at, written.occurred_at),
  operator_ids = case when written.author_type = 'operator' and not (written.author_id = any(written.operator_ids))
    then written.operator_ids || written.author_id else written.operator_ids end`

const insertions = (sql: Sql, { deliveryId }: AppealMessageWrite): ReadonlyArray<Fragment> => [
  cte(
    sql,
    "appeal",
    sql.literal(`update appeals a set ${appendedColumns} from written
      where a.instance_id = written.instance_id and a.id = written.appeal_id`)
  ),
  cte(
    sql,
    "inserted",
    sql`insert into appeal_messages (instance_id, appeal_id, sequence, id, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id, delivery)
      select instance_id, appeal_id, sequence, id, author_type, author_id, text, occurred_at, recorded_at,
        external_message_id, delivery from written`
  ),
  ...(deliveryId === null
    ? []
    : [
        cte(sql, "leaving", sql`select *, id as message_id from written where delivery = 'queued'`),
        ...enqueuedFrom(sql, "operator", "leaving")
      ])
]

const OutcomeRow = Schema.Struct({
  outcome: Schema.Literals([
    "Added",
    "Replayed",
    "Known",
    "KeyReused",
    "ClientErased",
    "UnknownAuthor",
    "Closed",
    "New"
  ]),
  message: Schema.NullOr(Schema.toCodecJson(AppealMessage))
})
const outcomeRows = rowsOf(OutcomeRow)

const write = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  message: AppealMessageWrite
) {
  const { appealId, claim, kind } = message
  const entry = yield* entryOf(session, { action: `${kind}.message`, id: appealId })
  const unclaimed = claim === null ? "and false" : "and not exists (select 1 from claimed)"
  const details = "json_build_object('sequence', sequence, 'authorType', author_type)"
  const found = yield* outcomeRows.find(
    statement(
      sql,
      [
        callerOf(sql, session),
        cte(sql, "judged", judged(sql, session, message), "materialized"),
        ...locks(sql, session, message),
        cte(sql, "message", addedMessage(sql, message), "materialized"),
        cte(
          sql,
          "shown",
          sql`select ${sql.literal(messageJson)} as record from message
            union all select judged.record from judged where judged.outcome = 'Known'`,
          "materialized"
        ),
        claim !== null && cte(sql, "claimed", receiptFrom(sql, claim, "shown")),
        cte(
          sql,
          "written",
          sql`select message.* from message ${sql.literal(claim === null ? "" : ", claimed")}`,
          "materialized"
        ),
        ...insertions(sql, message),
        cte(sql, "entry", auditedFrom(sql, "written", entry, { details }))
      ],
      sql`select case when written.id is not null then 'Added'
            when judged.outcome = 'Known' ${sql.literal(unclaimed)} then 'New' else judged.outcome end as outcome,
          coalesce(shown.record, judged.record) as message
        from judged left join written on true left join shown on true`
    )
  )
  return found === undefined ? ({ _tag: "Unknown" } as const) : outcomeOf(found)
})

const outcomeOf = ({ message, outcome }: typeof OutcomeRow.Type): AppealMessageOutcome | Again => {
  switch (outcome) {
    case "New":
      return again
    case "Added":
    case "Replayed":
    case "Known":
      return message === null ? again : { _tag: outcome, message }
    default:
      return { _tag: outcome }
  }
}

const lockAppeal = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { appealId }: AppealMessageWrite
) => sql`with client as materialized (select c.id from clients c where c.instance_id = ${instanceId}
    and c.id = (select a.client_id from appeals a where a.instance_id = ${instanceId} and a.id = ${appealId})
    for key share)
  select 1 from appeals a join client on client.id = a.client_id
    where a.instance_id = ${instanceId} and a.id = ${appealId} for no key update of a`
