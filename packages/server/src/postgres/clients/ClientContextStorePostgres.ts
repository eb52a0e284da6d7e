// Actions and state of a client in PostgreSQL: a unique index decides about external events, a row lock about versions.
import {
  ClientAction,
  clientActions,
  ClientState,
  clientStates,
  stateHistory
} from "@rapport/contract/clients/ClientContextApi.ts"
import { AnyObject } from "@rapport/contract/values/Members.ts"
import { VersionConflict } from "@rapport/contract/Errors.ts"
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import type { Writer } from "@rapport/core/audit/Writer.ts"
import {
  ClientContextStore,
  NamespacesFull,
  type StateTarget
} from "@rapport/core/clients/ClientContextStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { contextWriteEntry } from "../audit/ContextWriteEntry.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { orUnavailable, query, queryOr, recordsOf, rowsOf, selectedCount } from "../sql/Query.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { recordJson } from "../sql/Records.ts"
import { appealVisible, callerOf, clientReadable, holds, survivorId } from "../sql/Visibility.ts"

/** Of `client_actions t`. */
const actionColumns: Readonly<Record<string, Column>> = {
  id: { sql: "t.id" },
  clientId: { sql: "t.client_id" },
  type: { sql: "t.type" },
  occurredAt: { sql: "t.occurred_at", time: true },
  actorType: { sql: "t.actor_type" },
  actorId: { sql: "t.actor_id" },
  externalEventId: { sql: "t.external_event_id" },
  source: { sql: "t.source" },
  channel: { sql: "t.channel" },
  subjectId: { sql: "t.subject_id" },
  appealId: { sql: "t.appeal_id" },
  summary: { sql: "t.summary" },
  payload: { sql: "t.payload" },
  recordedAt: { sql: "t.recorded_at", time: true }
}
/** Of `client_state t` and `client_state_history t`. */
const stateColumns: Readonly<Record<string, Column>> = {
  clientId: { sql: "t.client_id" },
  namespace: { sql: "t.namespace" },
  version: { sql: "t.version" },
  state: { sql: "t.state" },
  updatedAt: { sql: "t.updated_at", time: true }
}
const actionJson = recordJson(actionColumns, clientActions.members)
const stateJson = recordJson(stateColumns, clientStates.members)

const namedRows = rowsOf(
  Schema.Struct({ id: Schema.NullOr(Schema.Int), appeal: Schema.Boolean, subject: Schema.Boolean })
)
const stateRows = recordsOf(Schema.toCodecJson(ClientState))
const versionRows = rowsOf(Schema.Struct({ version: Schema.Int, state: AnyObject }))
const registeredRows = rowsOf(
  Schema.Struct({
    action: Schema.toCodecJson(ClientAction),
    fingerprint: Schema.String,
    receipt: Schema.toCodecJson(Receipt),
    state: Schema.NullOr(Schema.toCodecJson(ClientState))
  })
)
const encodeReceipt = Schema.encodeEffect(Schema.toCodecJson(Receipt))
const encodeState = Schema.encodeEffect(Schema.toCodecJson(ClientState))

export const layer: Layer.Layer<ClientContextStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    ClientContextStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const present = (target: StateTarget) =>
        versionRows.find(sql`select t.version::float8 as version, t.state from client_state t
          where ${ofTarget(sql, target)} for update`)

      // The client's row is locked first: of two new namespaces at once the second counts the first. Another writer may
      // have made this very one meanwhile; then it is none too many, and the write finds it.
      const namespacesOf = ({ clientId, instanceId, namespace }: StateTarget) =>
        sql`select 1 from clients where instance_id = ${instanceId} and id = ${clientId} for no key update`.pipe(
          Effect.andThen(
            selectedCount(sql`select count(*)::float8 as count from client_state where instance_id = ${instanceId}
            and client_id = ${clientId} and not exists (select 1 from client_state t
              where ${ofTarget(sql, { clientId, instanceId, namespace })})`)
          ),
          orUnavailable
        )

      return ClientContextStore.of({
        resolve: query("ClientContextStore.resolve", (session, access, clientId, { appealId, subjectId }) =>
          Effect.gen(function* () {
            const found = yield* namedRows.get(sql`with ${callerOf(sql, session)},
            client as (select c.id from clients c, caller u where c.instance_id = u.instance_id
              and c.id = ${survivorId(sql, session.instanceId, clientId)} and ${holds(sql, access)}
              and (u.everything or ${clientReadable(sql)}))
          select (select id from client)::float8 as id,
            (${appealId ?? null}::int8 is null or exists (select 1 from appeals a, caller u where a.instance_id = u.instance_id
              and a.id = ${appealId ?? null}::int8 and a.client_id = (select id from client) and ${appealVisible(sql)})) as appeal,
            (${subjectId ?? null}::int8 is null or exists (select 1 from subjects s where s.instance_id = ${session.instanceId}
              and s.id = ${subjectId ?? null}::int8)) as subject`)
            return found.id === null ? undefined : { ...found, clientId: found.id }
          })
        ),

        register: queryOr(
          "ClientContextStore.register",
          inProgressOrUnavailable,
          (writer, action, receipt, fingerprint) =>
            Effect.gen(function* () {
              const { instanceId } = writer.session
              const entry = yield* contextWriteEntry(sql, "made", writer, { actionId: action.id })
              const kept = JSON.stringify(yield* Effect.orDie(encodeReceipt(receipt)))
              const made =
                yield* sql`with made as (insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at,
            recorded_at, external_event_id, source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt)
          values (${instanceId}, ${action.id}, ${action.clientId}, ${action.type}, ${action.actorType}, ${action.actorId},
            ${isoOf(action.occurredAt)}::timestamptz, ${isoOf(action.recordedAt)}::timestamptz, ${action.externalEventId},
            ${action.source}, ${action.channel}, ${action.subjectId}, ${action.appealId}, ${action.summary},
            ${JSON.stringify(action.payload)}::text::json, ${fingerprint}, ${kept}::text::json)
          on conflict do nothing returning client_id), entry as (${entry}) select 1 from made`
              if (made.length > 0) return undefined
              return yield* registeredRows.get(sql`select ${sql.literal(actionJson)} as action, t.fingerprint, t.receipt, t.state_written as state
          from client_actions t where t.instance_id = ${instanceId} and t.client_id = ${action.clientId}
            and coalesce(t.source, '') = coalesce(${action.source}::text, '') and t.external_event_id = ${action.externalEventId}
          order by t.fingerprint = ${fingerprint} desc, t.merged_from_id nulls first limit 1`)
            })
        ),

        complete: query("ClientContextStore.complete", (instanceId, actionId, state) =>
          Effect.gen(function* () {
            const written = JSON.stringify(yield* Effect.orDie(encodeState(state)))
            yield* sql`update client_actions set state_written = ${written}::text::json
          where instance_id = ${instanceId} and id = ${actionId}`
          })
        ),

        write: (writer, target, expectedVersion, now, decide) =>
          Effect.gen(function* () {
            // Another writer may make the first version between the look and the insert; then the row is there to be locked.
            for (let attempt = 0; ; attempt++) {
              const found = yield* orUnavailable(present(target))
              const version = found?.version ?? 0
              if (version !== (expectedVersion ?? version))
                return yield* new VersionConflict({ currentVersion: version })
              if (found === undefined && (yield* namespacesOf(target)) >= CLIENT_NAMESPACES_MAX)
                return yield* Effect.fail(new NamespacesFull())
              const state = yield* decide(found?.state ?? null)
              const id = yield* random.uuidV7()
              if (
                yield* writeVersion(sql, writer, target, { version, now, id, state: JSON.stringify(state) })
              ) {
                return {
                  clientId: target.clientId,
                  namespace: target.namespace,
                  version: version + 1,
                  state,
                  updatedAt: now
                }
              }
              if (attempt > 0) return yield* Effect.die("a locked row was changed by another writer")
            }
          }),

        findState: query("ClientContextStore.findState", (target) =>
          stateRows.find(
            sql`select ${sql.literal(stateJson)} as record from client_state t where ${ofTarget(sql, target)}`
          )
        ),

        listStates: query("ClientContextStore.listStates", (instanceId, clientId, request) =>
          listRows(
            sql,
            {
              collection: clientStates,
              common: null,
              from: sql.literal("client_state t"),
              where: sql`t.instance_id = ${instanceId} and t.client_id = ${clientId}`,
              columns: stateColumns,
              includes: {},
              searched: []
            },
            request
          )
        ),

        listHistory: query("ClientContextStore.listHistory", (target, request) =>
          listRows(
            sql,
            {
              collection: stateHistory,
              common: null,
              from: sql.literal("client_state_history t"),
              where: ofTarget(sql, target),
              columns: stateColumns,
              includes: {},
              searched: []
            },
            request
          )
        ),

        listActions: query("ClientContextStore.listActions", (session, clientId, request) =>
          listRows(
            sql,
            {
              collection: clientActions,
              common: callerOf(sql, session),
              from: sql.literal("client_actions t, caller u"),
              where: sql`t.instance_id = u.instance_id and t.client_id = ${clientId} and (t.appeal_id is null or exists (
              select 1 from appeals a where a.instance_id = t.instance_id and a.id = t.appeal_id and ${appealVisible(sql)}))`,
              columns: actionColumns,
              includes: {},
              searched: []
            },
            request
          )
        )
      })
    })
  )

const ofTarget = (
  sql: SqlClient.SqlClient,
  { clientId, instanceId, namespace }: StateTarget
): Statement.Fragment =>
  sql`t.instance_id = ${instanceId} and t.client_id = ${clientId} and t.namespace = ${namespace}`

/** The next version and its history in one statement; false when another writer came first. */
const writeVersion = (
  sql: SqlClient.SqlClient,
  writer: Writer,
  { clientId, instanceId, namespace }: StateTarget,
  next: { readonly version: number; readonly now: number; readonly id: string; readonly state: string }
) =>
  Effect.gen(function* () {
    const { id, now, state, version: expectedVersion } = next
    const entry = yield* contextWriteEntry(sql, "written", writer, {
      namespace,
      version: expectedVersion + 1
    })
    const written =
      expectedVersion === 0
        ? sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
            values (${instanceId}, ${clientId}, ${namespace}, ${id}, 1, ${state}::text::json, ${isoOf(now)}::timestamptz)
            on conflict do nothing returning *`
        : sql`update client_state set version = version + 1, state = ${state}::text::json, updated_at = ${isoOf(now)}::timestamptz
            where instance_id = ${instanceId} and client_id = ${clientId} and namespace = ${namespace}
              and version = ${expectedVersion} returning *`
    const kept = yield* sql`with written as (${written}), entry as (${entry})
      insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
      select instance_id, client_id, namespace, version, state, updated_at from written returning version`
    return kept.length > 0
  }).pipe(orUnavailable)
