// Sessions in PostgreSQL: the session's row lock orders its messages, a unique index its external ids (§5).
import { IdempotencyInProgress, VersionConflict } from "@rapport/contract/Errors.ts"
import { ContextSession, SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { contextWriteEntry } from "../audit/ContextWriteEntry.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { query, queryOr, recordsOf, rowsOf } from "../sql/Query.ts"
import { type Column } from "../sql/ListQuery.ts"
import { withinPage } from "../sql/PageBytes.ts"
import { recordJson } from "../sql/Records.ts"
import { appealVisible, callerOf, clientReadable, holds, survivorId } from "../sql/Visibility.ts"

/** Of `context_sessions t`. */
const sessionColumns: Readonly<Record<string, Column>> = {
  id: { sql: "t.id" },
  clientId: { sql: "t.client_id" },
  status: { sql: "t.status" },
  externalSessionId: { sql: "t.external_session_id" },
  channel: { sql: "t.channel" },
  appealId: { sql: "t.appeal_id" },
  metadata: { sql: "t.metadata" },
  messageCount: { sql: "t.message_count" },
  workingContext: { sql: "t.working_context" },
  workingContextVersion: { sql: "t.working_context_version" },
  createdAt: { sql: "t.created_at", time: true },
  closedAt: { sql: "t.closed_at", time: true }
}
/** Of `session_messages t`. */
const messageColumns: Readonly<Record<string, Column>> = {
  id: { sql: "t.id" },
  sessionId: { sql: "t.session_id" },
  sequence: { sql: "t.sequence" },
  role: { sql: "t.role" },
  content: { sql: "t.content" },
  externalMessageId: { sql: "t.external_message_id" },
  metadata: { sql: "t.metadata" },
  occurredAt: { sql: "t.occurred_at", time: true },
  recordedAt: { sql: "t.recorded_at", time: true }
}
const sessionJson = recordJson(sessionColumns, Object.keys(ContextSession.fields))
const messageJson = recordJson(messageColumns, Object.keys(SessionMessage.fields))

const namedRows = rowsOf(Schema.Struct({ id: Schema.NullOr(Schema.Int), appeal: Schema.Boolean }))
const sessionRows = recordsOf(Schema.toCodecJson(ContextSession))
const messageRows = recordsOf(Schema.toCodecJson(SessionMessage))
/** A session without messages in the stretch is one row without a message. */
const pageRows = rowsOf(
  Schema.Struct({
    message: Schema.NullOr(Schema.toCodecJson(SessionMessage)),
    more: Schema.NullOr(Schema.Boolean)
  })
)
const openRows = rowsOf(Schema.Struct({ status: Schema.String, client: Schema.Int, count: Schema.Int }))
const versionRows = rowsOf(Schema.Struct({ status: Schema.String, version: Schema.Int }))

export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const select = (where: Statement.Fragment) =>
        sessionRows.find(
          sql`select ${sql.literal(sessionJson)} as record from context_sessions t where ${where}`
        )
      const own = (instanceId: number, id: string) =>
        select(sql`t.instance_id = ${instanceId} and t.id = ${id}::uuid`)

      const locked = (instanceId: number, id: string) =>
        openRows.get(sql`select status, client_id::float8 as client, message_count as count from context_sessions
          where instance_id = ${instanceId} and id = ${id}::uuid for update`)

      return SessionStore.of({
        resolve: query("SessionStore.resolve", (session, access, { appealId, clientId }) =>
          Effect.gen(function* () {
            const found = yield* namedRows.get(sql`with ${callerOf(sql, session)},
            client as (select c.id from clients c, caller u where c.instance_id = u.instance_id
              and c.id = ${survivorId(sql, session.instanceId, clientId)} and ${holds(sql, access)}
              and (u.everything or ${clientReadable(sql)}))
          select (select id from client)::float8 as id,
            (${appealId ?? null}::int8 is null or exists (select 1 from appeals a, caller u where a.instance_id = u.instance_id
              and a.id = ${appealId ?? null}::int8 and a.client_id = (select id from client) and ${appealVisible(sql)})) as appeal`)
            return found.id === null ? undefined : { clientId: found.id, appeal: found.appeal }
          })
        ),

        create: queryOr("SessionStore.create", inProgressOrUnavailable, (writer, request, now) =>
          Effect.gen(function* () {
            const { instanceId } = writer.session
            const sessionId = yield* random.uuidV7()
            const entry = yield* contextWriteEntry(sql, "made", writer, { sessionId })
            const insert = sql`with made as (insert into context_sessions
            (instance_id, id, client_id, status, external_session_id, channel, appeal_id, metadata, created_at)
          values (${instanceId}, ${sessionId}::uuid, ${request.clientId}, 'open', ${request.externalSessionId ?? null},
            ${request.channel ?? null}, ${request.appealId ?? null}, ${jsonOf(request.metadata)}::text::json, ${isoOf(now)}::timestamptz)
          on conflict do nothing returning id, client_id), entry as (${entry}) select id from made`
            const open = select(sql`t.instance_id = ${instanceId} and t.status = 'open'
          and t.external_session_id = ${request.externalSessionId ?? null}`)
            // The open one may close between the two statements; then the next insert goes in.
            for (let attempt = 0; attempt < CREATE_ATTEMPTS_MAX; attempt++) {
              const [made] = yield* insert
              if (made !== undefined) {
                const session = yield* own(instanceId, String(made["id"]))
                if (session !== undefined) return { made: true, session }
              }
              const session = yield* open
              if (session !== undefined) return { made: false, session }
            }
            return yield* Effect.fail(new IdempotencyInProgress())
          })
        ),

        find: query("SessionStore.find", (session, access, id) =>
          sessionRows.find(
            sql`with ${callerOf(sql, session)}
              select ${sql.literal(sessionJson)} as record from context_sessions t, clients c, caller u
              where t.instance_id = u.instance_id and t.id = ${id}::uuid and c.instance_id = t.instance_id and c.id = t.client_id
                and ${holds(sql, access)} and (u.everything or ${clientReadable(sql)})
                and (t.appeal_id is null or exists (select 1 from appeals a where a.instance_id = t.instance_id
                  and a.id = t.appeal_id and ${appealVisible(sql)}))`
          )
        ),

        findNamed: query("SessionStore.findNamed", (session, externalSessionId) =>
          sessionRows.find(
            sql`with ${callerOf(sql, session)}
              select ${sql.literal(sessionJson)} as record from context_sessions t, clients c, caller u
              where t.instance_id = u.instance_id and t.external_session_id = ${externalSessionId}
                and c.instance_id = t.instance_id and c.id = t.client_id and (u.everything or ${clientReadable(sql)})
                and (t.appeal_id is null or exists (select 1 from appeals a where a.instance_id = t.instance_id
                  and a.id = t.appeal_id and ${appealVisible(sql)}))
              order by t.status = 'open' desc, t.created_at desc, t.id desc limit 1`
          )
        ),

        add: query("SessionStore.add", (writer, id, request, now) =>
          Effect.gen(function* () {
            const { instanceId } = writer.session
            const { client, count, status } = yield* locked(instanceId, id)
            if (request.externalMessageId !== undefined) {
              const before = yield* messageRows.find(
                sql`select ${sql.literal(messageJson)} as record from session_messages t where t.instance_id = ${instanceId}
              and t.session_id = ${id}::uuid and t.external_message_id = ${request.externalMessageId}`
              )
              if (before !== undefined) return { _tag: "Before", message: before } as const
            }
            if (status === "closed") return { _tag: "Closed" } as const
            const message: SessionMessage = {
              id: yield* random.uuidV7(),
              sessionId: id,
              sequence: count + 1,
              role: request.role,
              content: request.content,
              externalMessageId: request.externalMessageId ?? null,
              metadata: request.metadata ?? null,
              occurredAt: request.occurredAt ?? now,
              recordedAt: now
            }
            const entry = yield* contextWriteEntry(sql, "counted", writer, {
              sessionId: id,
              messageId: message.id
            })
            yield* sql`with counted as (update context_sessions set message_count = ${message.sequence}
            where instance_id = ${instanceId} and id = ${id}::uuid returning id, client_id), entry as (${entry})
          insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, metadata, occurred_at,
            recorded_at, external_message_id)
          select ${instanceId}, id, ${message.sequence}, ${message.id}::uuid, ${client}, ${message.role}, ${message.content},
            ${jsonOf(message.metadata ?? undefined)}::text::json, ${isoOf(message.occurredAt)}::timestamptz,
            ${isoOf(now)}::timestamptz, ${message.externalMessageId} from counted`
            return { _tag: "Added", message } as const
          })
        ),

        close: query("SessionStore.close", (writer, id, reason, now) =>
          Effect.gen(function* () {
            const { instanceId } = writer.session
            const entry = yield* contextWriteEntry(sql, "closed", writer, { sessionId: id })
            const closed =
              yield* sql`with closed as (update context_sessions set status = 'closed', close_reason = ${reason},
            closed_at = ${isoOf(now)}::timestamptz
          where instance_id = ${instanceId} and id = ${id}::uuid and status = 'open' returning client_id),
            entry as (${entry}) select 1 from closed`
            const session = yield* own(instanceId, id)
            return session === undefined
              ? yield* Effect.die(`session ${id} is gone`)
              : { closed: closed.length > 0, session }
          })
        ),

        setWorkingContext: query(
          "SessionStore.setWorkingContext",
          (writer, id, expectedVersion, workingContext, now) =>
            Effect.gen(function* () {
              const { instanceId } = writer.session
              const entry = yield* contextWriteEntry(sql, "written", writer, {
                sessionId: id,
                version: expectedVersion + 1
              })
              // Another writer may reach the expected version between the write and the look; then this one's turn has come.
              for (;;) {
                const set =
                  yield* sql`with written as (update context_sessions set working_context = ${JSON.stringify(workingContext)}::text::json,
              working_context_version = working_context_version + 1, working_context_updated_at = ${isoOf(now)}::timestamptz
            where instance_id = ${instanceId} and id = ${id}::uuid and status = 'open'
              and working_context_version = ${expectedVersion} returning client_id),
            entry as (${entry}) select 1 from written`
                if (set.length > 0)
                  return { sessionId: id, version: expectedVersion + 1, workingContext, updatedAt: now }
                const present =
                  yield* versionRows.find(sql`select status, working_context_version::float8 as version from context_sessions
            where instance_id = ${instanceId} and id = ${id}::uuid`)

                if (present?.status === "closed") return "closed" as const
                const version = present?.version ?? 0
                if (version !== expectedVersion)
                  return yield* new VersionConflict({ currentVersion: version })
              }
            })
        ),

        messages: query("SessionStore.messages", (instanceId, id, { limit, order, start }) =>
          Effect.gen(function* () {
            const ascending = order === "asc"
            const all = sql`t.instance_id = ${instanceId} and t.session_id = ${id}::uuid`
            const before = Math.floor((limit - 1) / 2)
            // A full page with the message in its middle; at the ends the page moves inwards.
            const edge =
              start.at === "around"
                ? sql`select greatest(1, least(m.sequence - ${before}::int4, s.message_count - ${limit}::int4 + 1))
                ${ascending ? sql.literal("- 1") : sql`+ ${limit}::int4`} as sequence
              from session_messages m join context_sessions s on s.instance_id = m.instance_id and s.id = m.session_id
              where m.instance_id = ${instanceId} and m.session_id = ${id}::uuid and m.id = ${start.messageId}::uuid`
                : sql`select ${start.at === "after" ? start.sequence : ascending ? 0 : 2_147_483_647}::int4 as sequence`
            const near = start.at === "around" ? start.messageId : null
            const read = sql`select * from (
                select t.*, row_number() over (order by t.sequence ${sql.literal(order)}) as place,
                  count(*) over () as available, coalesce(t.id = ${near}::uuid, false) as near
                from (select * from session_messages t where ${all} and t.sequence ${sql.literal(ascending ? ">" : "<")} e.sequence
                  order by t.sequence ${sql.literal(order)} limit ${limit + 1}) t) t
              where t.place <= ${limit}`
            const size = "octet_length(i.content) + coalesce(octet_length(i.metadata::text), 0)"
            const fitting = sql`select t.place, t.near, t.available, ${sql.literal(messageJson)} as message
              from (${withinPage(sql, { name: "read", size, rows: read })}) t`
            const shown = withinPage(sql, {
              name: "shown",
              size: "octet_length(i.message::text) + 1",
              rows: fitting
            })
            const found = yield* pageRows.all(sql`with edge as (${edge})
          select p.message, p.place < p.available as more from edge e left join lateral (${shown}) p on true order by p.place`)
            if (found.length === 0) return undefined

            return {
              records: found.flatMap(({ message }) => message ?? []),
              more: found.at(-1)?.more === true
            }
          })
        )
      })
    })
  )

const CREATE_ATTEMPTS_MAX = 3
const jsonOf = (value: Readonly<Record<string, unknown>> | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)
