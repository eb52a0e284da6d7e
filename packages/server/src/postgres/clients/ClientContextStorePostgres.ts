// Actions and state of a client in PostgreSQL: a unique index decides about external events, a row lock about versions.
import { ClientState, clientStates, stateHistory } from "@rapport/contract/clients/ClientContextApi.ts"
import { AnyObject } from "@rapport/contract/values/Members.ts"
import { VersionConflict } from "@rapport/contract/Errors.ts"
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
import { orUnavailable, query, recordsOf, rowsOf, selectedCount } from "../sql/Query.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { recordJson } from "../sql/Records.ts"
import { makeActionsAtOnce } from "./ActionsAtOnce.ts"
import { actionOperations } from "./ClientActions.ts"
import { heldClient } from "./HeldClient.ts"
import { namedClient } from "./NamedClient.ts"
import { makeStateAtOnce } from "./StateAtOnce.ts"

/** Of `client_state t` and `client_state_history t`. */
const stateColumns: Readonly<Record<string, Column>> = {
  clientId: { sql: "held.client_id" },
  namespace: { sql: "held.namespace" },
  version: { sql: "held.version" },
  state: { sql: "held.state" },
  updatedAt: { sql: "held.updated_at", time: true }
}
const stateJson = recordJson(stateColumns, clientStates.members)

const stateRows = recordsOf(Schema.toCodecJson(ClientState))
const versionRows = rowsOf(Schema.Struct({ version: Schema.Int, state: AnyObject }))

type Random = SecureRandom.SecureRandom["Service"]
type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

export const layer: Layer.Layer<ClientContextStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    ClientContextStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      return ClientContextStore.of({
        ...actionOperations(sql),
        ...(yield* makeActionsAtOnce(sql)),
        ...stateOperations(sql, random),
        ...(yield* makeStateAtOnce(sql)),
        resolve: query("ClientContextStore.resolve", (session, access, clientId, named) =>
          namedClient(sql, session, access, { ...named, clientId })
        ),
        hold: query("ClientContextStore.hold", (instanceId, clientId) =>
          heldClient(sql, instanceId, clientId)
        )
      })
    })
  )

/** States: a row lock decides about versions. */
const stateOperations = (sql: Sql, random: Random) =>
  ({
    write: Effect.fnUntraced(function* (writer, target, expectedVersion, now, decide) {
      // Another writer may make the first version between the read and the insert; then the row is there to be locked.
      for (let attempt = 0; ; attempt++) {
        const found = yield* orUnavailable(present(sql, target))
        const version = found?.version ?? 0
        if (version !== (expectedVersion ?? version))
          return yield* new VersionConflict({ currentVersion: version })
        if (found === undefined && (yield* namespacesOf(sql, target)) >= CLIENT_NAMESPACES_MAX)
          return yield* Effect.fail(new NamespacesFull())
        const state = yield* decide(found?.state ?? null)
        const id = yield* random.uuidV7()
        if (yield* writeVersion(sql, writer, target, { version, now, id, state: JSON.stringify(state) })) {
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
        sql`select ${sql.literal(stateJson)} as record from client_state held where ${ofTarget(sql, target)}`
      )
    ),

    listStates: query("ClientContextStore.listStates", (instanceId, clientId, request) =>
      listRows(
        sql,
        {
          collection: clientStates,
          common: null,
          from: sql.literal("client_state held"),
          where: sql`held.instance_id = ${instanceId} and held.client_id = ${clientId}`,
          columns: stateColumns
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
          from: sql.literal("client_state_history held"),
          where: ofTarget(sql, target),
          columns: stateColumns
        },
        request
      )
    )
  }) satisfies Partial<Store>

const present = (sql: Sql, target: StateTarget) =>
  versionRows.find(sql`select held.version::float8 as version, held.state from client_state held
    where ${ofTarget(sql, target)} for update`)

// The client's row is locked first: of two new namespaces at once the second counts the first. Another writer may
// have made this very one meanwhile; then it is none too many, and the write finds it.
const namespacesOf = (sql: Sql, { clientId, instanceId, namespace }: StateTarget) =>
  sql`select 1 from clients where instance_id = ${instanceId} and id = ${clientId} for no key update`.pipe(
    Effect.andThen(
      selectedCount(sql`select count(*)::float8 as count from client_state where instance_id = ${instanceId}
      and client_id = ${clientId} and not exists (select 1 from client_state held
        where ${ofTarget(sql, { clientId, instanceId, namespace })})`)
    ),
    orUnavailable
  )

const ofTarget = (
  sql: SqlClient.SqlClient,
  { clientId, instanceId, namespace }: StateTarget
): Statement.Fragment =>
  sql`held.instance_id = ${instanceId} and held.client_id = ${clientId} and held.namespace = ${namespace}`

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
