// Columns of a list of records: the members of every record, and the fields of its model (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { FieldType } from "@rapport/contract/records/Model.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import { sql } from "../sql/Fragment.ts"
import type { Column } from "../sql/Columns.ts"
import type { TableList } from "../sql/ListQuery.ts"
import { callerOf } from "../sql/Visibility.ts"

export const isText = ({ type }: StoredField): boolean => type === "STRING" || type === "TEXT"

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

/** A column of `custom_records record`. Texts are ordered by their beginning, as in `record_values.text`. */
const columnOf = (field: StoredField): Column => {
  const text = `(record.values->>'${field.id}')`
  return {
    sql: `${text}${casts[field.type]}`,
    ...(field.type === "DATETIME" ? { time: true } : {}),
    ...(isText(field) ? { orderedText: `left(normalize(${text}, NFC), 255)` } : {})
  }
}

const recordColumns: Readonly<Record<string, Column>> = {
  id: { sql: "record.id", required: true },
  version: { sql: "record.version", required: true },
  values: { sql: "record.values" },
  createdAt: { sql: "record.created_at", time: true, required: true },
  updatedAt: { sql: "record.updated_at", time: true, required: true }
}

/** The list with the members of every record. Its condition names the instance and the model. */
export const membersOf = (session: AuthorizedSession, list: RecordList): TableList => {
  const { collection, counted, model } = list
  const members: TableList["columns"] = {
    ...recordColumns,
    // Safe, because a name has only letters, digits and _.
    model: { sql: `'${model.name}'::text` }
  }
  return {
    collection,
    common: callerOf(session),
    from: sql.literal("custom_records record, caller u"),
    listed: { name: "record", joined: "" },
    where: sql`record.instance_id = u.instance_id and record.instance_id = ${session.instanceId}
      and record.model_id = ${model.id}`,
    columns: members,
    members,
    counted
  }
}

/** Adds the fields of the model. If a field is called `model` or `values`, lists order by the field and show the member. */
export const recordTable = (session: AuthorizedSession, list: RecordList): TableList => {
  const members = membersOf(session, list)
  const fields = list.model.fields.map((field) => [field.name, columnOf(field)] as const)
  return { ...members, columns: { ...members.columns, ...Object.fromEntries(fields) } }
}
