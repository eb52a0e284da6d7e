// Messages appended to sessions: one statement for any number of rows, with their receipts and audit entries (contract §5).
import { SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { ClientPermission } from "@rapport/core/clients/ClientContextStore.ts"
import type {
  SessionMessageOutcome,
  SessionMessageRow,
  SessionStore
} from "@rapport/core/sessions/SessionStore.ts"
import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import {
  commonValues,
  entriesOf,
  inProgressOrOvertaken,
  joinKept,
  joinKnown,
  keptVerdicts,
  laterRows,
  untilDecided,
  writeStatement,
  type WriteValues,
  writeValues
} from "../receipts/WriteStatement.ts"
import { statement, type Tables } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { holds, sessionVisible } from "../sql/Visibility.ts"
import { attachable, joinCarried } from "../files/FileStorePostgres.ts"
import { principalOf } from "../receipts/ReceiptsPostgres.ts"
import { messageJson } from "./SessionMessages.ts"

export const messageWrites = (
  sql: Sql,
  random: SecureRandom.SecureRandom["Service"]
): Pick<SessionStore["Service"], "add"> => ({
  add: queryOr("SessionStore.add", inProgressOrOvertaken, function* (session, access, rows, batchId) {
    const given = yield* Effect.forEach(rows, (row) =>
      Effect.map(random.uuidV7(), (id) => rowOf(row, id, batchId))
    )
    return yield* untilDecided<Given, SessionMessageOutcome, never>(sql, given, (batch, isRepeated) => {
      const written = Effect.flatMap(writeValues(session, batch), (values) => write(sql, values, access))
      return isRepeated
        ? sql.withTransaction(Effect.andThen(lockSessions(sql, session, batch), written))
        : written
    })
  })
})

const rowOf = ({ prepared, request, session }: SessionMessageRow, id: string, batchId?: string) => ({
  ...commonValues(prepared, { receiptId: prepared.key === null ? null : prepared.receipt.id, batchId }),
  "message_id uuid": id,
  "session_id uuid": "id" in session ? session.id : null,
  "external_session_id text": "id" in session ? null : session.externalId,
  "role text": request.role,
  "content text": request.content ?? "",
  "metadata json": request.metadata,
  "occurred_at timestamptz": isoOf(request.occurredAt ?? prepared.receipt.committedAt),
  "external_message_id text": request.externalMessageId,
  "file_ids uuid[]": request.attachments ?? []
})
type Given = ReturnType<typeof rowOf>

/** `session` of each row of `given`: by its id, or the open or else the latest one of its external id. */
const namedSession = ({ instanceId }: WriteValues): Fragment => {
  const visibleOf = (
    condition: string
  ) => sql`select session.* from context_sessions session, clients c, caller u
    where session.instance_id = ${instanceId} and ${sql.literal(condition)} and c.instance_id = session.instance_id
      and c.id = session.client_id and ${sessionVisible}`
  return sql`left join lateral (
    ${visibleOf("session.id = given.session_id")}
    union all (${visibleOf("session.external_session_id = given.external_session_id")}
      order by session.status = 'open' desc, session.created_at desc, session.id desc limit 1)) session on true`
}

/** A branch of a `case`: an earlier row of the statement may take a file of the row. */
const laterOfFile = `when cardinality(given.file_ids) > 0 and exists (select 1 from given earlier
    where earlier.place < given.place and earlier.file_ids && given.file_ids) then 'Retry'`

/** The verdict about each row: the first row of an external id in a session, or of a file, may write, another one follows it. */
const selectVerdicts = (values: WriteValues, access: ClientPermission): Fragment =>
  sql`select given.*, session.id as found_id, session.client_id, session.message_count as seen_count, known.record,
          carried.attachments,
        case when not exists (select 1 from caller u where ${holds(access)}) then 'Forbidden'
          when session.id is null then 'NotFound'
          when kept.fingerprint = given.fingerprint and known.record is null then 'Retry'
          ${sql.literal(keptVerdicts)}
          when known.record is not null then 'Known'
          when session.status = 'closed' then 'Closed'
          when cardinality(given.file_ids) > carried.count then 'UnknownFile'
          ${sql.literal(laterRows(values, "session.id", "given.external_message_id"))}
          ${sql.literal(values.rows.length === 1 ? "" : laterOfFile)}
          else 'Write' end as verdict
      from given ${namedSession(values)} ${joinKept(values)}
        ${joinKnown(values, {
          table: "session_messages",
          idType: "uuid",
          owner: "message.session_id = session.id",
          json: messageJson
        })}
        ${joinCarried(values)}`

/**
 * Clients before sessions, each in the order of ids. A message that was committed meanwhile may have the external id: only the same
 * count shows that there is none.
 */
const locks = (values: WriteValues): Tables => ({
  client: sql`select c.id from clients c where c.instance_id = ${values.instanceId}
        and c.id in (select found.client_id from found where found.verdict = 'Write')
        and c.merged_into_id is null and c.erased_at is null order by c.id for key share`,
  locked: sql`select session.id, session.message_count from context_sessions session
      join client on client.id = session.client_id
      where session.instance_id = ${values.instanceId} and session.status = 'open'
        and session.id in (select found.found_id from found where found.verdict = 'Write')
      order by session.id for no key update of session`,
  // Another message may have taken a file since the snapshot.
  carried: sql`select file.id from files file where file.instance_id = ${values.instanceId}::int8
        and file.id in (select unnest(found.file_ids) from found join locked on locked.id = found.found_id
          where found.verdict = 'Write') and ${attachable(principalOf(values))} order by file.id for update`,
  ready: sql`select found.*, locked.message_count from found join locked on locked.id = found.found_id
      where found.verdict = 'Write'
        and cardinality(found.file_ids) = (select count(*) from carried where carried.id = any(found.file_ids))
        and (found.external_message_id is null or locked.message_count = found.seen_count)`
})

const insertions = (values: WriteValues): Tables => {
  const instance = sql`${values.instanceId}::int8`
  return {
    written: sql`select free.*, free.message_count
          + (row_number() over (partition by free.found_id order by free.place))::int4 as sequence from free`,
    counted: sql`update context_sessions session set message_count = last.sequence
        from (select written.found_id, max(written.sequence) as sequence from written group by 1) last
        where session.instance_id = ${instance} and session.id = last.found_id`,
    message: sql`insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, metadata,
          occurred_at, recorded_at, external_message_id, attachments)
        select ${instance}, found_id, sequence, message_id, client_id, role, content, metadata, occurred_at, committed_at,
          external_message_id, attachments from written returning *`,
    attached: sql`update files file set session_id = written.found_id, expires_at = null from written
        where file.instance_id = ${instance} and file.id = any(written.file_ids)`,
    entry: entriesOf(values, "written", {
      action: "operation",
      entity: "'client'",
      entityId: "client_id",
      details: "jsonb_build_object('sessionId', found_id, 'messageId', message_id)"
    })
  }
}

const outcomeRows = rowsOf(
  Schema.Union([
    Schema.Struct({
      _tag: Schema.Literals(["Added", "Replayed", "Known"]),
      message: Schema.toCodecJson(SessionMessage)
    }),
    Schema.Struct({
      _tag: Schema.Literals([
        "KeyReused",
        "Refused",
        "Closed",
        "UnknownFile",
        "Retry",
        "NotFound",
        "Forbidden"
      ])
    })
  ])
)

const write = (sql: Sql, values: WriteValues, access: ClientPermission) =>
  outcomeRows.all(
    writeStatement(sql, values, {
      tables: { found: selectVerdicts(values, access), ...locks(values) },
      answer: "json_build_object('id', message_id)",
      writes: insertions(values),
      outcome: sql`select case when message.id is not null then 'Added' when found.verdict = 'Write' then 'Retry'
          else found.verdict end as _tag,
          case when message.id is not null then ${sql.literal(messageJson)} else found.record end as message
        from found left join message on message.id = found.message_id order by found.place`
    })
  )

const lockSessions = (sql: Sql, { instanceId }: Caller, rows: ReadonlyArray<Given>) => {
  const named = sql`session.instance_id = ${instanceId}
    and (session.id = any(${rows.flatMap((row) => row["session_id uuid"] ?? [])}::text[]::uuid[])
      or session.external_session_id = any(${rows.flatMap((row) => row["external_session_id text"] ?? [])}::text[]))`
  return statement(
    sql,
    {
      client: sql`select c.id from clients c where c.instance_id = ${instanceId}
          and c.id in (select session.client_id from context_sessions session where ${named})
          order by c.id for key share`
    },
    sql`select 1 from context_sessions session join client on client.id = session.client_id where ${named}
      order by session.id for no key update of session`
  )
}
