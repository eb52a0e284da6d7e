// Lists of records that every user of an instance with the permission sees.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListRequest } from "@rapport/core/lists/ListRequest.ts"
import type { SqlClient } from "effect/sql"
import { listRows, type TableList } from "./ListQuery.ts"
import { callerOf } from "./Visibility.ts"

/** One page of the rows of the caller's instance; `table` and the `name` that its columns are written with. */
export const listOwn = (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  request: ListRequest,
  list: Pick<TableList, "collection" | "columns" | "searched"> & {
    readonly table: string
    readonly name: string
  }
) =>
  listRows(
    sql,
    {
      ...list,
      common: callerOf(sql, session),
      from: sql.literal(`${list.table} ${list.name}, caller u`),
      where: sql.literal(`${list.name}.instance_id = u.instance_id`)
    },
    request
  )
