// How a list of many records finds few of them by index: a condition on a field that few records meet, or the beginning of
// an order (docs/contract.md §9.2). It narrows what is looked at and decides nothing: the list's own conditions stand beside it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { TableList } from "../sql/ListQuery.ts"
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
  const of = sql`select indexed.record_id from custom_values indexed where indexed.instance_id = ${instanceId}
    and indexed.field_id = ${field.id}`
  const values = (Array.isArray(value) ? value : [value]).map((one) =>
    isText(field) ? String(one) : String(numberOf(field, one))
  )
  if (isText(field))
    return operator === "in"
      ? sql`${of} and indexed.txt is not null and indexed.txt = any(${values}::text[])`
      : sql`${of} and indexed.txt is not null and indexed.txt = ${values[0] ?? ""}::text collate "uk-x-icu"`
  if (field.target === "client" && (operator === "in" || operator === "eq"))
    return sql`${of} and indexed.num is not null and indexed.num = any(array(
      select coalesce(named.merged_into_id, named.id)::float8 from clients named
      where named.instance_id = ${instanceId} and named.id = any(${values}::text[]::int8[])))`
  return operator === "in"
    ? sql`${of} and indexed.num is not null and indexed.num = any(${values}::text[]::float8[])`
    : sql`${of} and indexed.num is not null and indexed.num ${comparison} ${values[0] ?? ""}::text::float8`
}

/** Sets of ids, each of which holds every record that the condition lets pass. */
const candidatesOf = (
  sql: Sql,
  session: AuthorizedSession,
  list: RecordList,
  where: Where
): ReadonlyArray<Fragment> => {
  if ("and" in where) return where.and.flatMap((member) => candidatesOf(sql, session, list, member))
  if ("or" in where) {
    const members = where.or.map((member) => candidatesOf(sql, session, list, member)[0])
    const known = members.filter((member) => member !== undefined)
    return known.length < members.length ? [] : [sql.join(" union ", false)(known)]
  }
  const ids = idsOf(sql, session, list, where)
  return ids === undefined ? [] : [ids]
}

const conditionsOf = ({ request, where }: RecordList): ReadonlyArray<Where> =>
  where === null ? request.filters : [...request.filters, where]

/** A condition on `record.id` for the whole list, where one of those that every record must meet is met by few. */
export const foundBy = Effect.fnUntraced(function* (sql: Sql, session: AuthorizedSession, list: RecordList) {
  for (const ids of candidatesOf(sql, session, list, { and: conditionsOf(list) })) {
    const { found } = yield* counts.get(
      sql`select count(*)::int4 as found from (select * from (${ids}) met limit ${FOUND_MAX + 1}) few`
    )
    if (found <= FOUND_MAX) return sql`record.id = any(array(${ids}))`
  }
  return undefined
})

/** How many records there are, as far as a list counts, where it has one condition and an index knows who meets it. */
export const countedBy = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  list: RecordList
) {
  const [only, ...others] = conditionsOf(list)
  if (only === undefined || others.length > 0 || !("field" in only) || !list.counted) return undefined
  const ids = idsOf(sql, session, list, only)
  if (ids === undefined) return undefined
  const { found } = yield* counts.get(
    sql`select count(*)::int4 as found from (${ids} limit ${LIST_TOTAL_MAX + 1}) met`
  )
  return found
})

/** Records in the order of one field that are looked at for a page of those that pass its conditions, one step after another. */
const WALKED = [1_000, 5_000]

/** A condition on `record.id` for the rows of a page alone, where records are listed in the order of one field. */
export const orderedBy = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  list: RecordList,
  { common, where }: TableList
): Effect.fn.Return<Fragment | undefined, SqlError.SqlError> {
  const { model, request } = list
  const [order, last, ...others] = request.orders
  const field = model.fields.find(({ name }) => name === order?.field)
  if (order === undefined || last?.field !== "id" || others.length > 0 || last.direction !== order.direction)
    return undefined
  if (field === undefined) return undefined
  const wanted = request.offset + request.limit + 1
  if (wanted > FOUND_MAX) return undefined
  const [at, id] = request.after ?? [undefined, undefined]
  if (at === null) return undefined
  const byText = isText(field) || field.type === "TEXT"
  const column = sql.literal(byText ? "indexed.txt" : "indexed.num")
  const value = byText
    ? sql`${String(at)}::text collate "uk-x-icu"`
    : sql`${String(numberOf(field, at))}::text::float8`
  const sign = sql.literal(order.direction === "asc" ? ">" : "<")
  const behind =
    at === undefined
      ? sql.literal("")
      : sql`and (${column}, indexed.record_id) ${sign} (${value}, ${String(id)}::text::int8)`
  const direction = sql.literal(order.direction)
  const idsUpTo = (number: number) => sql`select indexed.record_id from custom_values indexed
    where indexed.instance_id = ${instanceId} and indexed.field_id = ${field.id} and ${column} is not null ${behind}
    order by ${column} ${direction}, indexed.record_id ${direction} limit ${number}`
  const isAll = conditionsOf(list).length === 0
  for (const number of isAll ? [wanted] : WALKED) {
    const ids = idsUpTo(number)
    // Fewer than asked for: records further on, or without a value, follow them.
    const { found } = yield* counts.get(
      isAll
        ? sql`select count(*)::int4 as found from (${ids}) beginning`
        : sql`with ${common ?? sql.literal("")} select count(*)::int4 as found from (select 1 from custom_records record,
          caller u
            where ${where} and record.id = any(array(${ids})) limit ${wanted}) passing`
    )
    if (found >= wanted) return sql`record.id = any(array(${ids}))`
  }
  return undefined
})
