// Sessions in PostgreSQL (contract §5). The row lock of a session orders its messages.
import { IdempotencyInProgress, VersionConflict } from "@rapport/contract/Errors.ts"
import { ContextSession } from "@rapport/contract/sessions/SessionsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { SessionStore, type SessionWriter } from "@rapport/core/sessions/SessionStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Fragment, Sql } from "../sql/Fragment.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { query, queryOr, rowsOf, valuesOf } from "../sql/Query.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { auditedFrom, entryOf } from "../sql/Records.ts"
import { callerOf, holds, sessionVisible } from "../sql/Visibility.ts"
import { lockClient } from "../clients/LockClient.ts"
import { resolveClient } from "../clients/ResolveClient.ts"
import { messagePages } from "./SessionMessages.ts"
import { messageWrites } from "./SessionMessageWrites.ts"

const sessionJson = recordJson(
  columnsOf("session", ContextSession.fields),
  Object.keys(ContextSession.fields)
)

const sessionRows = valuesOf(Schema.toCodecJson(ContextSession))
const versionRows = rowsOf(Schema.Struct({ status: Schema.String, version: Schema.Int }))

type Random = SecureRandom.SecureRandom["Service"]
type Store = SessionStore["Service"]

export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      return SessionStore.of({
        ...reads(sql),
        ...writes(sql),
        ...creation(sql, random),
        ...messageWrites(sql, random),
        ...messagePages(sql)
      })
    })
  )

const reads = (sql: Sql) =>
  ({
    resolve: query("SessionStore.resolve", (session, access, request) =>
      resolveClient(sql, session, access, request)
    ),

    lockClient: query("SessionStore.lockClient", (instanceId, clientId) =>
      lockClient(sql, instanceId, clientId)
    ),

    find: query("SessionStore.find", (session, access, id) =>
      sessionRows.find(
        sql`with ${callerOf(session)}
        select ${sql.literal(sessionJson)} as record from context_sessions session, clients c, caller u
        where session.instance_id = u.instance_id and session.id = ${id}::uuid and c.instance_id = session.instance_id
          and c.id = session.client_id
          and ${holds(access)} and ${sessionVisible}`
      )
    )
  }) satisfies Partial<Store>

const writes = (sql: Sql) =>
  ({
    close: query("SessionStore.close", function* (writer, id, reason, now) {
      const { instanceId } = writer.session
      const entry = yield* sessionEntry("closed", writer, { sessionId: id })
      const closed =
        yield* sessionRows.find(sql`with closed as (update context_sessions set status = 'closed', close_reason = ${reason},
      closed_at = ${isoOf(now)}::timestamptz
    where instance_id = ${instanceId} and id = ${id}::uuid and status = 'open' returning *),
      entry as (${entry}) select ${sql.literal(sessionJson)} as record from closed session`)
      if (closed !== undefined) return { closed: true, session: closed }
      const session = yield* select(
        sql,
        sql`session.instance_id = ${instanceId} and session.id = ${id}::uuid`
      )
      return session === undefined ? yield* Effect.die(`session ${id} is gone`) : { closed: false, session }
    }),

    setWorkingContext: query(
      "SessionStore.setWorkingContext",
      function* (writer, id, expectedVersion, workingContext, now) {
        const { instanceId } = writer.session
        const entry = yield* sessionEntry("written", writer, {
          sessionId: id,
          version: expectedVersion + 1
        })
        // Another writer may reach the expected version between the write and the read. Then this write is retried.
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
          if (version !== expectedVersion) return yield* new VersionConflict({ currentVersion: version })
        }
      }
    )
  }) satisfies Partial<Store>

/** The audit entry of a change of a session, about its client. `source` is the CTE with the client_id. */
const sessionEntry = (
  source: string,
  { batchId, operation, receiptId, session }: SessionWriter,
  details: { readonly sessionId: string; readonly version?: number }
): Effect.Effect<Fragment> =>
  Effect.map(
    entryOf(session, {
      action: operation,
      entity: "client",
      details: { receiptId, ...(batchId === undefined ? {} : { batchId }), ...details }
    }),
    (entry) => auditedFrom(source, entry, { entityId: "client_id::text" })
  )

/** Creates no second session of an external id while one is open. */
const creation = (sql: Sql, random: Random) =>
  ({
    create: queryOr("SessionStore.create", inProgressOrUnavailable, function* (writer, request, now) {
      const { instanceId } = writer.session
      const sessionId = yield* random.uuidV7()
      const entry = yield* sessionEntry("made", writer, { sessionId })
      const insert = sessionRows.find(sql`with made as (insert into context_sessions
      (instance_id, id, client_id, status, external_session_id, channel, appeal_id, metadata, created_at)
    values (${instanceId}, ${sessionId}::uuid, ${request.clientId}, 'open', ${request.externalSessionId ?? null},
      ${request.channel ?? null}, ${request.appealId ?? null}, ${request.metadata === undefined ? null : JSON.stringify(request.metadata)}::text::json, ${isoOf(now)}::timestamptz)
    on conflict do nothing returning *), entry as (${entry})
    select ${sql.literal(sessionJson)} as record from made session`)
      const open = select(
        sql,
        sql`session.instance_id = ${instanceId} and session.status = 'open'
    and session.external_session_id = ${request.externalSessionId ?? null}`
      )
      // The open session may close between the two statements. Then the next insert succeeds.
      for (let attempt = 0; attempt < CREATE_ATTEMPTS_MAX; attempt++) {
        const made = yield* insert
        if (made !== undefined) return { isCreated: true, session: made }
        const session = yield* open
        if (session !== undefined) return { isCreated: false, session }
      }
      return yield* Effect.fail(new IdempotencyInProgress())
    })
  }) satisfies Partial<Store>

const select = (sql: Sql, where: Fragment) =>
  sessionRows.find(
    sql`select ${sql.literal(sessionJson)} as record from context_sessions session where ${where}`
  )

const CREATE_ATTEMPTS_MAX = 3
