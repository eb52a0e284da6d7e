// An order of records by one field, walked in its index of narrow rows (docs/contract.md §9.2).
import type { ListOrder } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { TableList } from "../sql/ListQuery.ts"
import { rowsOf } from "../sql/Query.ts"
import { isText, numberOf } from "./IndexedConditions.ts"
import type { Search } from "./Narrowing.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Ids of records that pass, as far as they are kept in memory beside a walk. */
const KEPT_MAX = 150_000

/** Records more than the page wants: some may go before it is read. */
export const SPARE = 20

/** An order by a field, as its narrow rows hold it. */
export interface Walk {
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

export interface Page extends Search {
  readonly table: TableList
  readonly wanted: number
}

export const walkOf = (
  sql: Sql,
  { model }: RecordList,
  { direction, field: name }: ListOrder
): Walk | undefined => {
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
export const walked = (
  { session, sql }: Page,
  { column, direction, field }: Walk,
  condition: Fragment,
  number: number
): Fragment => sql`select indexed.record_id, ${column} as at from custom_values indexed
  where indexed.instance_id = ${session.instanceId} and indexed.field_id = ${field.id} and ${column} is not null
    and ${condition}
  order by ${column} ${direction}, indexed.record_id ${direction} limit ${number}`

const keptRows = rowsOf(
  Schema.Struct({ isComplete: Schema.Boolean, ids: Schema.NullOr(Schema.Array(Schema.Int)) })
)

/** The first records in the order of a field that are in all of these sets; undefined where a set is too large to be kept. */
export const walkedAmong = (page: Page, walk: Walk, condition: Fragment, sets: ReadonlyArray<Fragment>) => {
  const { list, session, sql, wanted } = page
  const { column, direction, field } = walk
  // Kept as hashes, which the planner does where it knows that they are not too large.
  const among = sets.map(
    (ids) =>
      sql`(indexed.record_id in (select record_id from (${ids}) met limit ${sql.literal(`${KEPT_MAX}`)})) is true`
  )
  const own = sql`record.instance_id = ${session.instanceId} and record.model_id = ${list.model.id}`
  const most = sql.literal(`${KEPT_MAX}`)
  const isComplete = sql.or([
    sql`(select max(record.id) - min(record.id) < ${most} from custom_records record where ${own})`,
    sql.and(sets.map((ids) => sql`not exists (select 1 from (${ids}) met offset ${most})`))
  ])
  return Effect.map(
    keptRows.get(
      sql`select ${isComplete} as "isComplete", (select json_agg(record_id) from (
        select indexed.record_id from custom_values indexed where indexed.instance_id = ${session.instanceId}
          and indexed.field_id = ${field.id} and ${column} is not null and ${condition} and ${sql.and(among)}
        order by ${column} ${direction}, indexed.record_id ${direction} limit ${wanted + SPARE}) kept) as ids`
        .unprepared
    ),
    ({ ids, isComplete }) => (isComplete ? (ids ?? []) : undefined)
  )
}
