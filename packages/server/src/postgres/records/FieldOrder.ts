// The records that can be on a page in the order of a field, read from its index, so that long lists are not sorted (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Position } from "@rapport/core/lists/Cursors.ts"
import type { RecordList } from "@rapport/core/records/RecordStore.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"
import { afterPosition, orderBy, type TableList } from "../sql/ListQuery.ts"
import { isText } from "./RecordColumns.ts"
import { indexedNumber, valueOf } from "./RecordConditions.ts"

/**
 * Condition: the record is among the first with a value of the field that the list is ordered by, or, if these do not fill the page,
 * among the first without. Undefined if the first order is not a field.
 */
export const firstInFieldOrder = (
  session: AuthorizedSession,
  table: TableList,
  { model, request: { after, limit, offset, orders } }: RecordList
): Fragment | undefined => {
  const field = model.fields.find(({ name }) => name === orders[0]?.field)
  if (field === undefined) return undefined
  const type = isText(field) ? "text" : "number"
  const valued: TableList = {
    ...table,
    collection: { ...table.collection, fields: { ...table.collection.fields, [field.name]: type } },
    columns: {
      ...table.columns,
      id: { sql: "value.record_id", required: true },
      [field.name]: { sql: `value.${type}`, required: true }
    }
  }
  const [start = null, ...others] = after ?? []
  const indexedStart = start === null || type === "text" ? start : indexedNumber(field, start)
  const isAfter = (list: TableList, position: Position) =>
    after === null ? sql.literal("true") : afterPosition(list, orders, position)
  const isValue = sql`${valueOf(session, field, "value")} and value.record_id = record.id`
  const rows = offset + limit + 1
  return sql`record.id = any(array(
    with valued as materialized (
      select record.id from record_values value, ${table.from} where ${table.where} and ${isValue}
        and ${sql.literal(`value.model_id = record.model_id and value.${type} is not null`)}
        and ${isAfter(valued, [indexedStart, ...others])} ${orderBy(valued, orders)} limit ${rows}),
    empty as (
      select record.id from ${table.from} where ${table.where} and (select count(*) from valued) < ${rows}
        and not exists (select 1 from record_values value where ${isValue})
        and ${isAfter(table, [start, ...others])} ${orderBy(table, orders)} limit ${rows})
    select id from valued union all select id from empty))`
}
