// Messages appended to sessions: one statement for any number of rows, with their receipts and audit entries (contract §5).
import { SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { Writer } from "@rapport/core/audit/Writer.ts"
import type { Access } from "@rapport/core/clients/ClientContextStore.ts"
import type {
  SessionMessageOutcome,
  SessionMessageRow,
  SessionStore
} from "@rapport/core/sessions/SessionStore.ts"
import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import { contextWriteEntries } from "../audit/ContextWriteEntry.ts"
import { inProgressOrUnavailable, principalOf } from "../receipts/ReceiptsPostgres.ts"
import { type Again, again, untilDecided } from "../receipts/WriteStatement.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf, clientReadable, holds } from "../sql/Visibility.ts"
import { messageJson } from "./SessionMessages.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
/** Each row has its own receipt. */
type RowWriter = Omit<Writer, "receiptId">

export const messageWrites = (
  sql: Sql,
  random: SecureRandom.SecureRandom["Service"]
): Pick<SessionStore["Service"], "add"> => ({
  add: (writer, access, rows) =>
    queryOr(
      "SessionStore.add",
      rows.some(({ claim }) => claim !== null) ? inProgressOrUnavailable : unavailableOrDie,
      function* () {
        const given = yield* Effect.forEach(rows, (row) =>
          Effect.map(random.uuidV7(), (id) => givenOf(writer, row, id))
        )
        return yield* untilDecided<Given, SessionMessageOutcome, never>(sql, given, (batch, isRepeated) => {
          const written = write(sql, writer, access, batch)
          return isRepeated
            ? sql.withTransaction(Effect.andThen(lockSessions(sql, writer, batch), written))
            : written
        })
      }
    )()
})

const givenOf = (
  { batchId }: Pick<Writer, "batchId">,
  { claim, recordedAt, request, session }: SessionMessageRow,
  id: string
) => ({
  id,
  batch_id: batchId ?? null,
  session_id: "id" in session ? session.id : null,
  external_session_id: "id" in session ? null : session.externalId,
  role: request.role,
  content: request.content,
  // As text, so that the JSON is stored as it was sent.
  metadata: request.metadata === undefined ? null : JSON.stringify(request.metadata),
  occurred_at: isoOf(request.occurredAt ?? recordedAt),
  recorded_at: isoOf(recordedAt),
  external_message_id: request.externalMessageId ?? null,
  key: claim?.key ?? null,
  receipt_id: claim?.id ?? null,
  fingerprint: claim?.fingerprint ?? null
})
type Given = ReturnType<typeof givenOf>

const givenColumns = `id uuid, batch_id uuid, session_id uuid, external_session_id text, role text, content text, metadata text,
  occurred_at timestamptz, recorded_at timestamptz, external_message_id text, key text, receipt_id uuid, fingerprint text`
const givenNames = givenColumns
  .split(",")
  .map((column) => column.trim().split(" ", 1)[0])
  .join(", ")

const givenRows = (sql: Sql, rows: ReadonlyArray<Given>): Fragment =>
  cte(
    sql,
    "given",
    sql`select * from rows from (json_to_recordset(${JSON.stringify(rows)}::text::json)
      as (${sql.literal(givenColumns)})) with ordinality as entry(${sql.literal(givenNames)}, place)`,
    "materialized"
  )

/** The session of each row of `given`: by its id, or the open or else the latest one of its external id. */
const namedSessions = (sql: Sql, instanceId: number): Fragment =>
  sql`given cross join lateral (
    select session.* from context_sessions session
      where session.instance_id = ${instanceId} and session.id = given.session_id
    union all (select session.* from context_sessions session, clients c, caller u
      where session.instance_id = ${instanceId} and session.external_session_id = given.external_session_id
        and ${visible(sql)}
      order by session.status = 'open' desc, session.created_at desc, session.id desc limit 1)) session`

/** Of `context_sessions session`, `clients c` and `caller u`. */
const visible = (sql: Sql): Fragment =>
  sql`c.instance_id = session.instance_id and c.id = session.client_id and c.erased_at is null
    and (u.everything or ${clientReadable(sql)})
    and (session.appeal_id is null or exists (select 1 from appeals a where a.instance_id = session.instance_id
      and a.id = session.appeal_id and ${appealVisible(sql)}))`

/** What the snapshot says of each row: the first row of an external id in a session may write, another one follows it. */
const judgedRows = (sql: Sql, { session }: RowWriter, access: Access, operation: string): Fragment =>
  sql`select given.*, session.id as found_id, session.client_id, session.message_count as seen_count, known.record,
      case when kept.fingerprint <> given.fingerprint then 'KeyReused'
        when kept.fingerprint is not null then 'Replayed'
        when known.record is not null then 'Known'
        when session.status = 'closed' then 'Closed'
        when given.external_message_id is not null and row_number() over (
          partition by session.id, given.external_message_id order by given.place) > 1 then 'Again'
        else 'New' end as outcome
    from caller u, clients c, ${namedSessions(sql, session.instanceId)}
      left join lateral (select receipt.fingerprint, receipt.answer from receipts receipt
        where receipt.instance_id = ${session.instanceId} and receipt.principal = ${principalOf(session)}
          and receipt.operation = ${operation} and receipt.key = given.key limit 1) kept on true
      left join lateral (select ${sql.literal(messageJson)} as record from session_messages message
        where kept.fingerprint is null and message.instance_id = ${session.instanceId}
          and message.session_id = session.id and message.external_message_id = given.external_message_id
        union all select ${sql.literal(messageJson)} from session_messages message
        where kept.fingerprint is not null and message.instance_id = ${session.instanceId}
          and message.session_id = session.id and message.id = (kept.answer->>'id')::uuid limit 1) known on true
    where ${holds(sql, access)} and ${visible(sql)}`

/** Clients before sessions, each in the order of ids; nothing that follows these locks waits except a receipt. */
const locks = (sql: Sql, instanceId: number): ReadonlyArray<Fragment> => [
  cte(
    sql,
    "client",
    sql`select c.id from clients c where c.instance_id = ${instanceId}
        and c.id in (select judged.client_id from judged where judged.outcome = 'New')
        and c.merged_into_id is null and c.erased_at is null order by c.id for key share`,
    "materialized"
  ),
  cte(
    sql,
    "locked",
    sql`select session.id, session.message_count from context_sessions session
      join client on client.id = session.client_id
      where session.instance_id = ${instanceId} and session.status = 'open'
        and session.id in (select judged.found_id from judged where judged.outcome = 'New')
      order by session.id for no key update of session`,
    "materialized"
  )
]

/** A message that was committed meanwhile may have the external id: only the same count shows that there is none. */
const fitting = `judged join locked on locked.id = judged.found_id where judged.outcome = 'New'
  and (judged.external_message_id is null or locked.message_count = judged.seen_count)`

const insertions = (sql: Sql, writer: RowWriter): ReadonlyArray<Fragment> => {
  const { operation, session } = writer
  const instance = sql`${session.instanceId}::int8`
  return [
    cte(
      sql,
      "claimed",
      sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
        select ${instance}, ${principalOf(session)}::text, ${operation}::text, judged.key, judged.receipt_id,
          judged.fingerprint, judged.recorded_at, json_build_object('id', judged.id)
        from ${sql.literal(fitting)} and judged.key is not null order by judged.key
        on conflict do nothing returning id`
    ),
    cte(
      sql,
      "written",
      sql`select judged.*, locked.message_count
          + (row_number() over (partition by judged.found_id order by judged.place))::int4 as sequence
        from ${sql.literal(fitting)} and (judged.key is null or judged.receipt_id in (select claimed.id from claimed))`,
      "materialized"
    ),
    cte(
      sql,
      "counted",
      sql`update context_sessions session set message_count = last.sequence
        from (select written.found_id, max(written.sequence) as sequence from written group by 1) last
        where session.instance_id = ${instance} and session.id = last.found_id`
    ),
    cte(
      sql,
      "message",
      sql`insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, metadata,
          occurred_at, recorded_at, external_message_id)
        select ${instance}, found_id, sequence, id, client_id, role, content, metadata::json, occurred_at, recorded_at,
          external_message_id from written returning *`
    )
  ]
}

const outcomeRows = rowsOf(
  Schema.Struct({
    outcome: Schema.Literals([
      "Added",
      "Replayed",
      "Known",
      "KeyReused",
      "Closed",
      "Again",
      "UnknownSession"
    ]),
    message: Schema.NullOr(Schema.toCodecJson(SessionMessage))
  })
)

const write = Effect.fnUntraced(function* (
  sql: Sql,
  writer: RowWriter,
  access: Access,
  rows: ReadonlyArray<Given>
) {
  const { session } = writer
  const entries = yield* contextWriteEntries(sql, "written", writer, "'sessionId', found_id, 'messageId', id")
  const outcomes = yield* outcomeRows.all(
    statement(
      sql,
      [
        callerOf(sql, session),
        givenRows(sql, rows),
        cte(sql, "judged", judgedRows(sql, writer, access, writer.operation), "materialized"),
        ...locks(sql, session.instanceId),
        ...insertions(sql, writer),
        cte(sql, "entry", entries)
      ],
      sql`select case when message.id is not null then 'Added' when judged.place is null then 'UnknownSession'
          when judged.outcome = 'New' then 'Again' else judged.outcome end as outcome,
          case when message.id is not null then ${sql.literal(messageJson)} else judged.record end as message
        from given left join judged on judged.place = given.place left join message on message.id = given.id
        order by given.place`
    )
  )
  return outcomes.map(({ message, outcome }): SessionMessageOutcome | Again => {
    switch (outcome) {
      case "Again":
        return again
      case "KeyReused":
      case "Closed":
      case "UnknownSession":
        return { _tag: outcome }
      default:
        return message === null ? again : { _tag: outcome, message }
    }
  })
})

const lockSessions = (sql: Sql, { session }: RowWriter, rows: ReadonlyArray<Given>) => {
  const named = sql`session.instance_id = ${session.instanceId}
    and (session.id in (select given.session_id from given)
      or session.external_session_id in (select given.external_session_id from given))`
  return statement(
    sql,
    [
      givenRows(sql, rows),
      cte(
        sql,
        "client",
        sql`select c.id from clients c where c.instance_id = ${session.instanceId}
          and c.id in (select session.client_id from context_sessions session where ${named})
          order by c.id for key share`,
        "materialized"
      )
    ],
    sql`select 1 from context_sessions session join client on client.id = session.client_id where ${named}
      order by session.id for no key update of session`
  )
}
