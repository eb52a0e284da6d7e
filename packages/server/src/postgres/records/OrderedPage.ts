// How a page of many records in the order of their fields is found by the index of the first of these fields, and of the second
// where very many records share a value of the first (docs/contract.md §9.2). The list's own conditions stand beside it.
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { behind, type TableList } from "../sql/ListQuery.ts"
import { rowsOf, selectedIds } from "../sql/Query.ts"
import { type Page, SPARE, type Walk, walked, walkedAmong, walkOf } from "./FieldWalk.ts"
import { FOUND_MAX } from "./FoundRecords.ts"
import { conditionsOf, exactIds, type Search } from "./Narrowing.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
/** Undefined where the order is sorted whole. */
type Narrowed = Effect.Effect<Fragment | undefined, SqlError.SqlError>

/** Records in the order of one field that are looked at for a page of those that pass its conditions, one step after another. */
const WALKED = [1_000, 5_000]
/** The first step where that is less: times as many as should hold the page, by the share that passes. */
const WALKED_TIMES = 2
/** The first of these steps where the second field's index is followed: very many of its records have the value of the first. */
const WALKED_IN_TIES = 200
/** Records of one value of the first field that are sorted by the second; of more the second's index is followed. */
const TIES_MAX = 1_000
const counts = rowsOf(Schema.Struct({ found: Schema.Int }))
const edges = rowsOf(Schema.Struct({ at: Schema.Union([Schema.String, Schema.Finite]), seen: Schema.Int }))

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

const idsOf = (sql: Sql, rows: Fragment): Fragment => sql`array(select record_id from (${rows}) walked)`

/** What a record must pass to be on the page or behind it. */
const passing = ({ list, sql, table }: Page): Fragment => {
  const { after, orders } = list.request
  return after === null ? table.where : sql.and([table.where, behind(sql, table, orders, after)])
}

const commonOf = ({ sql, table }: Page): Fragment => table.common ?? sql.literal("")

/** Those of the records that are on the page or behind it; undefined where they are fewer than the page wants. */
const enoughOf = (page: Page, ids: Fragment) => {
  const { sql, wanted } = page
  return Effect.map(
    selectedIds(
      sql`with ${commonOf(page)} select record.id::float8 as id from custom_records record, caller u
        where ${passing(page)} and record.id = any(${ids})`.unprepared
    ),
    (found) => (found.length < wanted ? undefined : sql`record.id = any(${idArray(sql, found)})`)
  )
}

const stepsOf = ({ list, shares, wanted }: Page): ReadonlyArray<number> => {
  if (conditionsOf(list).length === 0) return [wanted]
  const first = Math.ceil((wanted * WALKED_TIMES) / (shares?.all ?? 0))
  return [first, ...WALKED].filter((number, i, [, next = 0]) => i > 0 || number < next)
}

/** Fewer than asked for: records further on, or without a value, follow them. */
const byOne = Effect.fnUntraced(function* (page: Page, walk: Walk) {
  const { list, sql, wanted } = page
  const { direction } = walk
  const [at, id] = list.request.after ?? []
  const condition =
    at === undefined
      ? sql.literal("true")
      : sql`(${walk.column}, indexed.record_id) ${walk.later} (${walk.valueOf(at)}, ${String(id)}::text::int8)`
  const exact = exactIds(page)
  const among = (ids: Fragment) =>
    Effect.map(walkedAmong(page, walk, condition, [ids]), (kept) =>
      kept && kept.length >= wanted ? sql`record.id = any(${idArray(sql, kept)})` : undefined
    )
  // They are compared with what the index holds: no record is read.
  if (page.known !== undefined && exact !== undefined) return yield* among(exact)
  for (const number of stepsOf(page)) {
    // Looked at one after another, in their order, until the page is full.
    const found = yield* selectedIds(
      sql`with ${commonOf(page)} select candidate.record_id::float8 as id
        from (${walked(page, walk, condition, number)}) candidate cross join lateral (
          select 1 from custom_records record, caller u
            where ${passing(page)} and record.id = candidate.record_id limit 1) passing
        order by candidate.at ${direction}, candidate.record_id ${direction} limit ${wanted + SPARE}`
        .unprepared
    )
    if (found.length >= wanted) return sql`record.id = any(${idArray(sql, found)})`
    if (exact !== undefined && conditionsOf(list).length > 0 && WALKED.includes(number))
      return yield* among(exact)
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
    const enough = yield* enoughOf(page, idsOf(sql, group))
    if (enough !== undefined) return enough
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
  const before = walked(page, first, ties.before, ties.number)
  const exact = exactIds(page)
  for (const number of exact === undefined ? [WALKED_IN_TIES, ...WALKED] : [WALKED_IN_TIES]) {
    // Of each by itself: a join might read all that have the value.
    const beginning = sql`select beginning.record_id from (${walked(page, second, begun, number)}) beginning
      where (select ${first.column} = ${ties.last} from custom_values indexed
        where indexed.instance_id = ${session.instanceId} and indexed.model_id = ${list.model.id}
          and indexed.record_id = beginning.record_id and indexed.field_id = ${first.field.id})`
    const ids = sql`array(select record_id from (${before}) before union all ${beginning})`
    const enough = yield* enoughOf(page, ids)
    if (enough !== undefined) return enough
  }
  if (exact === undefined) return undefined
  const tied = sql`select indexed.record_id from custom_values indexed where indexed.instance_id = ${session.instanceId}
    and indexed.field_id = ${first.field.id} and ${first.column} is not null and ${first.column} = ${ties.last}`
  const kept = yield* walkedAmong(page, second, begun, [tied, exact])
  return (
    kept &&
    (yield* enoughOf(
      page,
      sql`array(select record_id from (${before}) before union all select * from unnest(${idArray(sql, kept)}))`
    ))
  )
})
