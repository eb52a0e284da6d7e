// Actions of a client in PostgreSQL (contract §4).
import { ClientAction, clientActions } from "@rapport/contract/clients/ClientContextApi.ts"
import type { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import type { SqlClient } from "effect/sql"
import { query } from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

const actionColumns = columnsOf("action", ClientAction.fields)

export const actionJson = recordJson(actionColumns, clientActions.members)

export const actionOperations = (sql: Sql) =>
  ({
    listActions: query("ClientContextStore.listActions", (session, clientId, request) =>
      listRows(
        sql,
        {
          collection: clientActions,
          common: callerOf(sql, session),
          from: sql.literal("client_actions action, caller u"),
          where: sql`action.instance_id = u.instance_id and action.client_id = ${clientId} and (action.appeal_id is null
            or exists (
        select 1 from appeals a where a.instance_id = action.instance_id and a.id = action.appeal_id
          and ${appealVisible(sql)}))`,
          columns: actionColumns
        },
        request
      )
    )
  }) satisfies Partial<Store>
