// How a list of many records finds few of them by index: a condition on a field that few records meet, or the beginning of
// an order (docs/contract.md §9.2). It narrows what is looked at and decides nothing: the list's own conditions stand beside it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Records of one condition that are looked up one by one; above it the list is walked. */
const FOUND_MAX = 1_000
const DAY = 86_400_000

const counts = rowsOf(Schema.Struct({ found: Schema.Int }))

const isText = ({ type }: StoredField): boolean => type === "STRING"
/** A value as its narrow row holds it. */
const numberOf = (field: StoredField, value: unknown): number =>
  field.type === "DATE" ? Date.parse(String(value)) / DAY : Number(value)

const comparisons: Partial<Record<ListFilter["operator"], string>> = {
  eq: "=",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<="
}

/** Ids of the records that meet the condition; undefined where no index tells them. */
const idsOf = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { model }: RecordList,
  { field: name, operator, value }: ListFilter
): Fragment | undefined => {
  const field = model.fields.find((one) => one.name === name)
  const comparison = sql.literal(comparisons[operator] ?? "= any")
  if (field === undefined || field.type === "TEXT") return undefined
  if (operator !== "in" && comparisons[operator] === undefined) return undefined
  if (isText(field) && operator !== "eq" && operator !== "in") return undefined
  const of = sql`select v.record_id from custom_values v where v.instance_id = ${instanceId} and v.field_id = ${field.id}`
  const values = (Array.isArray(value) ? value : [value]).map((one) =>
    isText(field) ? String(one) : String(numberOf(field, one))
  )
  if (isText(field))
    return operator === "in"
      ? sql`${of} and v.txt is not null and v.txt = any(${values}::text[])`
      : sql`${of} and v.txt is not null and v.txt = ${values[0] ?? ""}::text collate "uk-x-icu"`
  if (field.target === "client" && (operator === "in" || operator === "eq"))
    return sql`${of} and v.num is not null and v.num = any(array(
      select coalesce(k.merged_into_id, k.id)::float8 from clients k
      where k.instance_id = ${instanceId} and k.id = any(${values}::text[]::int8[])))`
  return operator === "in"
    ? sql`${of} and v.num is not null and v.num = any(${values}::text[]::float8[])`
    : sql`${of} and v.num is not null and v.num ${comparison} ${values[0] ?? ""}::text::float8`
}

/** A condition on `r.id` for the whole list, where one of those that every record must meet is met by few. */
export const foundBy = Effect.fnUntraced(function* (sql: Sql, session: AuthorizedSession, list: RecordList) {
  const { request, where } = list
  const searched =
    where === null || !("and" in where) ? [] : where.and.flatMap((one) => ("field" in one ? [one] : []))
  for (const filter of [...request.filters, ...searched]) {
    const ids = idsOf(sql, session, list, filter)
    if (ids === undefined) continue
    const { found } = yield* counts.get(
      sql`select count(*)::int4 as found from (${ids} limit ${FOUND_MAX + 1}) few`
    )
    if (found <= FOUND_MAX) return sql`r.id = any(array(${ids}))`
  }
  return undefined
})

/** A condition on `r.id` for the rows of a page alone, where all records are listed in the order of one field. */
export const orderedBy = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { model, request, where }: RecordList
): Effect.fn.Return<Fragment | undefined, SqlError.SqlError> {
  const [order, last, ...others] = request.orders
  const field = model.fields.find(({ name }) => name === order?.field)
  if (order === undefined || last?.field !== "id" || others.length > 0 || last.direction !== order.direction)
    return undefined
  if (field === undefined || field.type === "TEXT" || where !== null || request.filters.length > 0)
    return undefined
  const wanted = request.offset + request.limit + 1
  if (wanted > FOUND_MAX) return undefined
  const [at, id] = request.after ?? [undefined, undefined]
  if (at === null) return undefined
  const column = sql.literal(isText(field) ? "v.txt" : "v.num")
  const value = isText(field)
    ? sql`${String(at)}::text collate "uk-x-icu"`
    : sql`${String(numberOf(field, at))}::text::float8`
  const sign = sql.literal(order.direction === "asc" ? ">" : "<")
  const behind =
    at === undefined
      ? sql.literal("")
      : sql`and (${column}, v.record_id) ${sign} (${value}, ${String(id)}::text::int8)`
  const direction = sql.literal(order.direction)
  const ids = sql`select v.record_id from custom_values v where v.instance_id = ${instanceId}
    and v.field_id = ${field.id} and ${column} is not null ${behind}
    order by ${column} ${direction}, v.record_id ${direction} limit ${wanted}`
  // Fewer than asked for: records without a value follow them.
  const { found } = yield* counts.get(sql`select count(*)::int4 as found from (${ids}) beginning`)
  return found < wanted ? undefined : sql`r.id = any(array(${ids}))`
})
