// Actions and state of a client in PostgreSQL.
import {
  clientActions,
  ClientState,
  clientStates,
  stateHistory
} from "@rapport/contract/clients/ClientContextApi.ts"
import { ClientContextStore, type StateTarget } from "@rapport/core/clients/ClientContextStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { query, valuesOf } from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { clientWrites } from "./ClientWrites.ts"
import { actionColumns } from "./ClientWriteStatement.ts"
import { callerOf, namedVisible } from "../sql/Visibility.ts"
import { resolveClient } from "./ResolveClient.ts"

const stateColumns = columnsOf("current_state", ClientState.fields)
const stateJson = recordJson(stateColumns, clientStates.members)

const stateRows = valuesOf(Schema.toCodecJson(ClientState))

type Store = ClientContextStore["Service"]

export const layer: Layer.Layer<ClientContextStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    ClientContextStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      return ClientContextStore.of({
        ...lists(sql),
        ...clientWrites(sql, random),
        resolve: query("ClientContextStore.resolve", (session, clientId) =>
          resolveClient(sql, session, "context.read", { clientId })
        )
      })
    })
  )

const lists = (sql: Sql) =>
  ({
    findState: query("ClientContextStore.findState", (target) =>
      stateRows.find(
        sql`select ${sql.literal(stateJson)} as record from client_state current_state where ${ofTarget(target)}`
      )
    ),

    listStates: query("ClientContextStore.listStates", (instanceId, clientId, request) =>
      listRows(
        sql,
        {
          collection: clientStates,
          common: null,
          from: sql.literal("client_state current_state"),
          where: sql`current_state.instance_id = ${instanceId} and current_state.client_id = ${clientId}`,
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
          from: sql.literal("client_state_history current_state"),
          where: ofTarget(target),
          columns: stateColumns
        },
        request
      )
    ),

    listActions: query("ClientContextStore.listActions", (session, clientId, request) =>
      listRows(
        sql,
        {
          collection: clientActions,
          common: callerOf(session),
          from: sql.literal("client_actions action, caller u"),
          where: sql`action.instance_id = u.instance_id and action.client_id = ${clientId}
            and ${namedVisible("action")}`,
          columns: actionColumns
        },
        request
      )
    )
  }) satisfies Partial<Store>

const ofTarget = ({ clientId, instanceId, namespace }: StateTarget): Fragment =>
  sql`current_state.instance_id = ${instanceId} and current_state.client_id = ${clientId} and current_state.namespace = ${namespace}`
