// How a list of many records finds few of them by an index of a field that it has a condition on, and counts them
// (docs/contract.md §9.2). It narrows what is looked at and decides nothing: the list's own conditions stand beside it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, Where } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { rowsOf, selectedIds } from "../sql/Query.ts"
import { FEW_SHARE, type Met, metBy } from "./IndexedConditions.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Records of one condition that are looked up one by one; above it the list is walked. */
export const FOUND_MAX = 1_000

const counts = rowsOf(Schema.Struct({ found: Schema.Int }))

/** What every record must meet, groups of one kind taken apart. */
export const conditionsOf = ({ request, where }: RecordList): ReadonlyArray<Where> =>
  where === null ? request.filters : [...request.filters, ...flat(where)]

const flat = (where: Where): ReadonlyArray<Where> => {
  if ("and" in where) return where.and.flatMap(flat)
  const [only, ...others] = "or" in where ? where.or : [where]
  return only !== undefined && only !== where && others.length === 0 ? flat(only) : [where]
}

/** Which share of the records meets a condition, between 0 and 1; undefined of what was not judged. */
export interface Shares {
  readonly of: (where: Where) => number | undefined
  /** Of the records that meet all conditions. */
  readonly all: number
}

/** How the records of a list are found. */
export interface Search {
  readonly sql: Sql
  readonly session: AuthorizedSession
  readonly list: RecordList
  /** Undefined where nothing was sampled. */
  readonly shares: Shares | undefined
}

const metIn = ({ list, session, shares, sql }: Search, leaf: ListFilter) =>
  metBy(sql, session, list, leaf, shares?.of(leaf))

/** Sets of ids, each of which holds every record that the condition lets pass. */
const candidatesOf = (search: Search, where: Where): ReadonlyArray<Fragment> => {
  if ("and" in where) return where.and.flatMap((member) => candidatesOf(search, member))
  if ("or" in where) {
    const members = where.or.map((member) => candidatesOf(search, member)[0])
    const known = members.filter((member) => member !== undefined)
    return known.length < members.length ? [] : [search.sql.join(" union all ", false)(known)]
  }
  const met = metIn(search, where)
  return met === undefined ? [] : [met.ids]
}

/** The records that meet the condition and no others, each once, where indexes alone tell. */
const exactly = (search: Search, where: Where): Met | undefined => {
  if ("and" in where) return all(search, where.and)
  if (!("or" in where)) {
    const met = metIn(search, where)
    return met?.isExact === true ? met : undefined
  }
  const members = where.or.map((member) => exactly(search, member))
  const known = members.filter((met) => met !== undefined)
  if (known.length < members.length) return undefined
  const united = search.sql.join(" union ", false)(known.map(({ ids }) => ids))
  return {
    ids: search.sql`select record_id from (${united}) either`,
    isExact: true,
    isIndexOnly: known.every(({ isIndexOnly }) => isIndexOnly)
  }
}

/** The same for all of the conditions: several are joined where no row has to be read. */
const all = (search: Search, conditions: ReadonlyArray<Where>): Met | undefined => {
  const { sql } = search
  const sets = conditions.map((condition) => exactly(search, condition))
  const [first, ...others] = sets.filter((met) => met !== undefined)
  if (first === undefined || others.length < conditions.length - 1) return undefined
  if (others.length === 0) return first
  if (![first, ...others].every(({ isIndexOnly }) => isIndexOnly)) return undefined
  // Hashed or sorted, however many the planner expects; a join might loop through one set for each of the other.
  const ids = sql.join(" intersect ", false)([first, ...others].map((met) => met.ids))
  return { ids: sql`select record_id from (${ids}) together`, isExact: true, isIndexOnly: true }
}

/** Ids of the records of the list, each once, where indexes alone tell. */
const exactIds = (search: Search): Fragment | undefined => all(search, conditionsOf(search.list))?.ids

/** A condition on `record.id` for the whole list, where one of those that every record must meet, or all are met by few. */
export const foundBy = Effect.fnUntraced(function* (search: Search) {
  const { list, shares, sql } = search
  const conditions = conditionsOf(list)
  const isRare = (where: Where) => (shares?.of(where) ?? 0) <= FEW_SHARE
  const rare = conditions.filter(isRare).flatMap((where) => candidatesOf(search, where))
  const together =
    rare.length === 0 && conditions.length > 1 && shares !== undefined && shares.all <= FEW_SHARE
      ? exactIds(search)
      : undefined
  for (const ids of together === undefined ? rare : [together]) {
    const found = yield* selectedIds(
      sql`select record_id::float8 as id from (${ids}) met limit ${FOUND_MAX + 1}`.unprepared
    )
    if (found.length <= FOUND_MAX) return sql`record.id = any(${idArray(sql, found)})`
  }
  return undefined
})

/** How many records there are, as far as a list counts, where indexes tell. */
export const countedBy = Effect.fnUntraced(function* (search: Search) {
  const { list, sql } = search
  const [only, ...others] = conditionsOf(list)
  if (only === undefined || !list.counted) return undefined
  const countOf = (ids: Fragment) =>
    Effect.map(
      counts.get(
        sql`select count(*)::int4 as found from (${ids} limit ${LIST_TOTAL_MAX + 1}) met`.unprepared
      ),
      ({ found }) => found
    )
  // One member that many records meet is enough to end a count.
  if (others.length === 0 && "or" in only)
    for (const member of only.or) {
      const met = exactly(search, member)
      if (met !== undefined && (yield* countOf(met.ids)) > LIST_TOTAL_MAX) return LIST_TOTAL_MAX + 1
    }
  const ids = exactIds(search)
  return ids === undefined ? undefined : yield* countOf(ids)
})
