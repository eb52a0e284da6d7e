// How a list of many records finds few of them by an index of a field that it has a condition on, and counts them
// (docs/contract.md §9.2). It narrows what is looked at and decides nothing: the list's own conditions stand beside it.
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { rowsOf, selectedIds } from "../sql/Query.ts"
import { FEW_SHARE } from "./IndexedConditions.ts"
import { candidatesOf, conditionsOf, exactIds, exactly, joined, type Search } from "./Narrowing.ts"

type Fragment = Statement.Fragment

/** Records of one condition that are looked up one by one; above it the list is walked. */
export const FOUND_MAX = 1_000

const counts = rowsOf(Schema.Struct({ found: Schema.Int }))

/** No statement has a hint for its plan: without these three it can only be walked. */
const WALKED = `select set_config('enable_nestloop', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_sort', 'off', true)`

/** What is known of a list before its page is read. */
interface Found {
  /** A condition on `record.id` for the whole list, where few records pass. */
  readonly few: Fragment | undefined
  /** How many records there are, as far as a list counts, where that is known. */
  readonly counted: number | undefined
}

/** By one of the conditions that every record must meet, or by all of them, where few records meet it; else the number alone. */
export const foundBy = Effect.fnUntraced(function* (search: Search) {
  const { list, shares, sql } = search
  const conditions = conditionsOf(list)
  const rare = conditions.filter((where) => (shares?.of(where) ?? 0) <= FEW_SHARE)
  const ids = exactIds(search)
  const isAlone = conditions.length === 1 && ids !== undefined
  for (const candidates of isAlone ? [] : rare.flatMap((where) => candidatesOf(search, where))) {
    const found = yield* selectedIds(
      sql`select record_id::float8 as id from (${candidates}) met limit ${FOUND_MAX + 1}`.unprepared
    )
    if (found.length <= FOUND_MAX) return fewOf(search, found)
  }
  if (ids === undefined || conditions.length === 0) return unknown
  if ((shares?.all ?? 0) > FEW_SHARE) return { few: undefined, counted: yield* countedBy(search, ids) }
  const { found, number } = yield* together.get(
    sql`with met as materialized (
      select record_id from (${ids}) met limit ${list.counted ? LIST_TOTAL_MAX + 1 : FOUND_MAX + 1}),
    counted as (select count(*)::int4 as number from met)
    select counted.number, case when counted.number <= ${FOUND_MAX} then
      (select json_agg(met.record_id) from met) end as found from counted`.unprepared
  )
  return number <= FOUND_MAX
    ? { ...fewOf(search, found ?? []), counted: number }
    : { few: undefined, counted: list.counted ? number : undefined }
})

const unknown: Found = { few: undefined, counted: undefined }
const together = rowsOf(Schema.Struct({ number: Schema.Int, found: Schema.NullOr(Schema.Array(Schema.Int)) }))

const fewOf = ({ sql }: Search, ids: ReadonlyArray<number>): Found => ({
  few: sql`record.id = any(${idArray(sql, ids)})`,
  counted: undefined
})

/** Where indexes tell. */
const countedBy = Effect.fnUntraced(function* (search: Search, ids: Fragment) {
  const { list, sql } = search
  const [only, ...others] = conditionsOf(list)
  if (only === undefined || !list.counted) return undefined
  const countOf = (of: Fragment) =>
    Effect.map(
      counts.get(
        sql`select count(*)::int4 as found from (select record_id from (${of}) met limit ${LIST_TOTAL_MAX + 1}) met`
          .unprepared
      ),
      ({ found }) => found
    )
  // One member that many records meet is enough to end a count.
  if (others.length === 0 && "or" in only)
    for (const member of only.or) {
      const met = exactly(search, member)
      if (met !== undefined && (yield* countOf(met.ids)) > LIST_TOTAL_MAX) return LIST_TOTAL_MAX + 1
    }
  const wide = joined(search, conditionsOf(list))
  if (wide === undefined) return yield* countOf(ids)
  return yield* sql.withTransaction(Effect.andThen(sql`${sql.literal(WALKED)}`, countOf(wide)))
})
