// How the values of a model's records are read in SQL: columns of its list, and conditions of a search (docs/contract.md §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { FieldType } from "@rapport/contract/records/Model.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import type { SqlClient, Statement } from "effect/sql"
import { type Column, filterConditions, type TableList } from "../sql/ListQuery.ts"
import { callerOf } from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

const casts: Readonly<Record<FieldType, string>> = {
  STRING: "",
  TEXT: "",
  INTEGER: "::int8",
  FLOAT: "::float8",
  BOOLEAN: "::boolean",
  DATE: "::date",
  DATETIME: "::timestamptz",
  ASSOCIATION: "::int8"
}

/** Characters that a TEXT is ordered by: those that the index of values holds, and a cursor. */
const TEXT_ORDERED_POINTS = 255

/** Of `custom_records record`. */
const columnOf = ({ id, target, type }: StoredField): Column => {
  const text = `(record.values->>'${id}')`
  return {
    sql: `${text}${casts[type]}`,
    ...(type === "DATETIME" ? { time: true } : {}),
    ...(target === "client" ? { client: true } : {}),
    ...(type === "TEXT" ? { orderedText: `left(${text}, ${TEXT_ORDERED_POINTS})` } : {})
  }
}

const recordColumns: Readonly<Record<string, Column>> = {
  id: { sql: "record.id", required: true },
  version: { sql: "record.version", required: true },
  values: { sql: "record.values" },
  createdAt: { sql: "record.created_at", time: true, required: true },
  updatedAt: { sql: "record.updated_at", time: true, required: true }
}

/** The list of one model's records; the instance and the model are in every condition. */
export const recordTable = (sql: Sql, session: AuthorizedSession, list: RecordList): TableList => {
  const { collection, model, where } = list
  const members: TableList["columns"] = {
    ...recordColumns,
    // A name of letters, digits and _ alone.
    model: { sql: `'${model.name}'::text` }
  }
  // A field may be called `model` or `values`: it is filtered and ordered by, and the members are shown.
  const columns: TableList["columns"] = {
    ...members,
    ...Object.fromEntries(model.fields.map((field) => [field.name, columnOf(field)]))
  }
  const table: TableList = {
    collection,
    common: callerOf(sql, session),
    from: sql.literal("custom_records record, caller u"),
    listed: { name: "record", joined: "" },
    where: sql`record.instance_id = u.instance_id and record.instance_id = ${session.instanceId}
      and record.model_id = ${model.id}`,
    columns,
    members,
    counted: list.counted
  }
  return where === null ? table : { ...table, where: sql.and([table.where, searched(sql, table, where)]) }
}

const searched = (sql: Sql, table: TableList, where: Where): Fragment => {
  if ("and" in where) return sql.and(where.and.map((member) => searched(sql, table, member)))
  if ("or" in where) return sql.or(where.or.map((member) => searched(sql, table, member)))
  return sql.and(filterConditions(sql, table, [where]))
}
