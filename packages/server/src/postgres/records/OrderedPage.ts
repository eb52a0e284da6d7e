// How a page of many records in the order of their fields is found by the index of the first of these fields, and of the second
// where very many records share a value of the first (docs/contract.md §9.2). The list's own conditions stand beside it.
import type { ListOrder } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { behind, type TableList } from "../sql/ListQuery.ts"
import { rowsOf } from "../sql/Query.ts"
import { isText, numberOf } from "./IndexedConditions.ts"
import { conditionsOf, FOUND_MAX, type Search } from "./Narrowing.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
/** Undefined where the order is sorted whole. */
type Narrowed = Effect.Effect<Fragment | undefined, SqlError.SqlError>

/** Records in the order of one field that are looked at for a page of those that pass its conditions, one step after another. */
const WALKED = [1_000, 5_000]
/** The first of these steps where the second field's index is followed: very many of its records have the value of the first. */
const WALKED_IN_TIES = 200
/** Records of one value of the first field that are sorted by the second; of more the second's index is followed. */
const TIES_MAX = 1_000

const counts = rowsOf(Schema.Struct({ found: Schema.Int }))
const edges = rowsOf(Schema.Struct({ at: Schema.Union([Schema.String, Schema.Finite]), seen: Schema.Int }))

/** An order by a field, as its narrow rows hold it. */
interface Walk {
  readonly field: StoredField
  readonly column: Fragment
  readonly direction: Fragment
  readonly reversed: Fragment
  /** Comparisons: `>` or `<`, and with what is equal. */
  readonly later: Fragment
  readonly earlier: Fragment
  readonly notBefore: Fragment
  readonly notLater: Fragment
  /** A value of the record as its narrow row holds it, and that as SQL. */
  readonly storedOf: (value: unknown) => string | number
  readonly stored: (value: string | number) => Fragment
  readonly valueOf: (value: unknown) => Fragment
}

/** A condition on `record.id` for the rows of a page alone. */
export const orderedBy = (search: Search, table: TableList): Narrowed => {
  const { list, sql } = search
  const { orders, after, limit, offset } = list.request
  const key = orders.at(-1)
  const [first, second, ...others] = orders.slice(0, -1).map((order) => walkOf(sql, list, order))
  const wanted = offset + limit + 1
  // An index holds no empty value: what comes behind one is found otherwise.
  if (first === undefined || after?.[0] === null || wanted > FOUND_MAX || key?.field !== "id")
    return Effect.succeed(undefined)
  const page: Page = { ...search, table, wanted }
  if (orders.length > 2) return bySeveral(page, first, others.length === 0 ? second : undefined)
  return key.direction === orders[0]?.direction ? byOne(page, first) : Effect.succeed(undefined)
}

interface Page extends Search {
  readonly table: TableList
  readonly wanted: number
}

const walkOf = (sql: Sql, { model }: RecordList, { direction, field: name }: ListOrder): Walk | undefined => {
  const field = model.fields.find((one) => one.name === name)
  if (field === undefined) return undefined
  const isAscending = direction === "asc"
  const storedOf = (value: unknown) => (isText(field) ? String(value) : numberOf(field, value))
  const stored = (value: string | number) =>
    isText(field) ? sql`${String(value)}::text collate "uk-x-icu"` : sql`${String(value)}::text::float8`
  return {
    field,
    column: sql.literal(isText(field) ? "indexed.txt" : "indexed.num"),
    direction: sql.literal(direction),
    reversed: sql.literal(isAscending ? "desc" : "asc"),
    later: sql.literal(isAscending ? ">" : "<"),
    earlier: sql.literal(isAscending ? "<" : ">"),
    notBefore: sql.literal(isAscending ? ">=" : "<="),
    notLater: sql.literal(isAscending ? "<=" : ">="),
    storedOf,
    stored,
    valueOf: (value) => stored(storedOf(value))
  }
}

/** Narrow rows of a field that a condition leaves, in their order. */
const walked = (
  { session, sql }: Page,
  { column, direction, field }: Walk,
  condition: Fragment,
  number: number
): Fragment => sql`select indexed.record_id, ${column} as at from custom_values indexed
  where indexed.instance_id = ${session.instanceId} and indexed.field_id = ${field.id} and ${column} is not null
    and ${condition}
  order by ${column} ${direction}, indexed.record_id ${direction} limit ${number}`

const idsOf = (sql: Sql, rows: Fragment): Fragment => sql`array(select record_id from (${rows}) walked)`

/** Whether as many of the records as the page wants pass the conditions of the list and come behind its cursor. */
const isEnough = ({ list, sql, table, wanted }: Page, ids: Fragment) => {
  const { after, orders } = list.request
  const passing = after === null ? table.where : sql.and([table.where, behind(sql, table, orders, after)])
  return Effect.map(
    counts.get(
      sql`with ${table.common ?? sql.literal("")} select count(*)::int4 as found from (
        select 1 from custom_records record, caller u where ${passing} and record.id = any(${ids}) limit ${wanted}) passing`
        .unprepared
    ),
    ({ found }) => found >= wanted
  )
}

const stepsOf = ({ list, wanted }: Page): ReadonlyArray<number> =>
  conditionsOf(list).length === 0 ? [wanted] : WALKED

/** Fewer than asked for: records further on, or without a value, follow them. */
const byOne = Effect.fnUntraced(function* (page: Page, walk: Walk) {
  const { list, sql } = page
  const [at, id] = list.request.after ?? []
  const condition =
    at === undefined
      ? sql.literal("true")
      : sql`(${walk.column}, indexed.record_id) ${walk.later} (${walk.valueOf(at)}, ${String(id)}::text::int8)`
  for (const number of stepsOf(page)) {
    const ids = idsOf(sql, walked(page, walk, condition, number))
    if (yield* isEnough(page, ids)) return sql`record.id = any(${ids})`
  }
  return undefined
})

/** Of a list without conditions, in the order of making or of the last change: the rows behind the offset, found in the index. */
export const skippedTo = ({ list, session, sql }: Search): Fragment | undefined => {
  const { after, limit, offset, orders } = list.request
  const [first, key, ...others] = orders
  const column = times[first?.field ?? ""]
  const isByTime = column !== undefined && key?.field === "id" && key.direction === first?.direction
  if (offset === 0 || after !== null || !isByTime || others.length > 0 || conditionsOf(list).length > 0)
    return undefined
  const direction = sql.literal(key.direction)
  return sql`record.id = any(array(select record.id from custom_records record
    where record.instance_id = ${session.instanceId} and record.model_id = ${list.model.id}
    order by record.${sql.literal(column)} ${direction}, record.id ${direction} offset ${offset} limit ${limit + 1}))`
}

const times: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" }

/** All records up to a value of the first field; where too many share it, those before it and the beginning of the second. */
const bySeveral = Effect.fnUntraced(function* (page: Page, first: Walk, second: Walk | undefined) {
  const { list, sql } = page
  const from = list.request.after?.[0]
  const begun =
    from === undefined ? sql.literal("true") : sql`${first.column} ${first.notBefore} ${first.valueOf(from)}`
  for (const number of stepsOf(page)) {
    const edge = yield* edges.find(
      sql`select at, (count(*) over ())::int4 as seen from (${walked(page, first, begun, number)}) walked
        order by at ${first.reversed} limit 1`.unprepared
    )
    if (edge === undefined || edge.seen < number) return undefined
    const last = first.stored(edge.at)
    const upTo = sql`${begun} and ${first.column} ${first.notLater} ${last}`
    const group = walked(page, first, upTo, number + TIES_MAX + 1)
    const { found } = yield* counts.get(sql`select count(*)::int4 as found from (${group}) tied`.unprepared)
    if (found > number + TIES_MAX) {
      const sameAsFrom = from !== undefined && first.storedOf(from) === edge.at
      const before = sql`${begun} and ${first.column} ${first.earlier} ${last}`
      return second && (yield* inTies(page, first, second, { before, last, number, sameAsFrom }))
    }
    const ids = idsOf(sql, group)
    if (yield* isEnough(page, ids)) return sql`record.id = any(${ids})`
  }
  return undefined
})

interface Ties {
  /** Of the first field: what comes before the value that very many share. */
  readonly before: Fragment
  readonly last: Fragment
  readonly number: number
  /** The cursor stands among them. */
  readonly sameAsFrom: boolean
}

const inTies = Effect.fnUntraced(function* (page: Page, first: Walk, second: Walk, ties: Ties) {
  const { list, session, sql } = page
  const { after, orders } = list.request
  const [, at] = after ?? []
  if (orders.at(-1)?.direction !== orders[1]?.direction || (ties.sameAsFrom && at === null)) return undefined
  const begun =
    ties.sameAsFrom && at !== undefined
      ? sql`${second.column} ${second.notBefore} ${second.valueOf(at)}`
      : sql.literal("true")
  for (const number of [WALKED_IN_TIES, ...WALKED]) {
    const before = walked(page, first, ties.before, ties.number)
    const ids = sql`array(select record_id from (${before}) before
      union all select beginning.record_id from (${walked(page, second, begun, number)}) beginning
        join custom_values indexed on indexed.instance_id = ${session.instanceId} and indexed.model_id = ${list.model.id}
          and indexed.record_id = beginning.record_id and indexed.field_id = ${first.field.id}
          and ${first.column} = ${ties.last})`
    if (yield* isEnough(page, ids)) return sql`record.id = any(${ids})`
  }
  return undefined
})
