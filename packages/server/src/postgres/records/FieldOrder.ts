// The ids of one page in the order of a field, read from its index, so that long lists are not sorted (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListOrder } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { afterPlaces } from "../sql/ListQuery.ts"
import { callerOf } from "../sql/Visibility.ts"
import { rowsOf } from "../sql/Query.ts"
import { isText } from "./RecordColumns.ts"
import { indexedNumber, indexedText, valueOf } from "./RecordConditions.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

const pages = rowsOf(Schema.Struct({ seen: Schema.Int, ids: Schema.Array(Schema.Int) }))

/** Orders by a member of the record instead of a field. */
const recordColumns: Readonly<Record<string, string>> = {
  version: "record.version",
  createdAt: "(extract(epoch from record.created_at) * 1000)::int8",
  updatedAt: "(extract(epoch from record.updated_at) * 1000)::int8"
}

/** One order of a list: a column of `record`, or of the row of the value, which is `name` in `from`. */
interface OrderTerm {
  readonly column: string
  readonly direction: ListOrder["direction"]
  readonly value: { readonly field: StoredField; readonly name: string } | undefined
  /** A position of the cursor, as a value of the column. */
  readonly bound: (at: unknown) => Fragment
}

const placeOf = (
  sql: Sql,
  { model }: RecordList,
  { direction, field: name }: ListOrder,
  i: number
): OrderTerm => {
  const field = model.fields.find((one) => one.name === name)
  if (field === undefined)
    return {
      column: recordColumns[name] ?? "record.id",
      direction,
      value: undefined,
      bound: (at) => sql`${String(at)}::text::int8`
    }
  const value = { field, name: `value${i}` }
  return isText(field)
    ? {
        column: `${value.name}.text`,
        direction,
        value,
        bound: (at) => sql`${indexedText(String(at))}::text collate "uk-x-icu"`
      }
    : {
        column: `${value.name}.number`,
        direction,
        value,
        bound: (at) => sql`${String(indexedNumber(field, at))}::text::float8`
      }
}

/** Records after a position. */
const afterPosition = (
  sql: Sql,
  terms: ReadonlyArray<OrderTerm>,
  position: ReadonlyArray<unknown>
): Fragment =>
  afterPlaces(
    sql,
    terms.map(({ bound, column, direction }, i) => {
      const at = position[i] ?? null
      return { expression: sql.literal(column), direction, bound: at === null ? null : bound(at) }
    })
  )

interface Source {
  readonly from: Fragment
  /** The order of the list. `from` joins their rows. */
  readonly terms: ReadonlyArray<OrderTerm>
  readonly where: ReadonlyArray<Fragment>
}

/**
 * Ids of the page and of one more record, if the first order is a field: first the records with a value, in the order of its index,
 * then those without.
 */
export const idsInFieldOrder = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  list: RecordList,
  conditions: ReadonlyArray<Fragment>
) {
  const { after, limit, offset, orders } = list.request
  const terms = orders.map((order, i) => placeOf(sql, list, order, i))
  const [first, ...others] = terms
  if (first?.value === undefined) return undefined
  const firstAt = after?.[0]
  const read = (source: Source, skipped: number) =>
    pages.get(
      sql`with ${callerOf(sql, session)}, ordered as materialized (
        select record.id from ${source.from}${joinTerms(sql, session, source.terms, first)}
        where record.instance_id = ${String(session.instanceId)}::text::int8
          and record.model_id = ${String(list.model.id)}::text::int8 and ${sql.and([...source.where, ...conditions])}
        order by ${orderOf(sql, source.terms, first)} limit ${skipped + limit + 1})
      select (select count(*)::int4 from ordered) as seen,
        array_to_json(array(select id from ordered offset ${skipped})) as ids`.unprepared
    )
  const valued =
    firstAt === null
      ? { seen: 0, ids: [] }
      : yield* read(
          {
            from: fromValues(sql, first.value.name),
            terms,
            where: valuedWhere(sql, session, terms, after)
          },
          offset
        )
  if (valued.ids.length > limit) return valued.ids
  const none = sql`not exists (select 1 from record_values value
    where ${valueOf(sql, session, first.value.field, "value")} and value.record_id = record.id)`
  const where =
    firstAt === null && after !== null ? [none, afterPosition(sql, others, after.slice(1))] : [none]
  const empty = yield* read(
    { from: sql.literal("custom_records record"), terms: others, where },
    Math.max(0, offset - valued.seen)
  )
  return [...valued.ids, ...empty.ids].slice(0, limit + 1)
})

const fromValues = (sql: Sql, name: string): Fragment =>
  sql.literal(`record_values ${name} join custom_records record on record.instance_id = ${name}.instance_id
    and record.model_id = ${name}.model_id and record.id = ${name}.record_id`)

const joinTerms = (
  sql: Sql,
  session: AuthorizedSession,
  terms: ReadonlyArray<OrderTerm>,
  first: OrderTerm
): Fragment =>
  terms.reduce(
    (all, { value }) =>
      value === undefined || value === first.value
        ? all
        : sql`${all} left join record_values ${sql.literal(value.name)} on
            ${valueOf(sql, session, value.field, value.name)} and ${sql.literal(value.name)}.record_id = record.id`,
    sql.literal("")
  )

const orderOf = (sql: Sql, terms: ReadonlyArray<OrderTerm>, first: OrderTerm): Fragment =>
  sql.literal(
    terms
      .map(
        ({ column, direction, value }) =>
          `${column} ${direction}${value === undefined || value === first.value ? "" : " nulls last"}`
      )
      .join(", ")
  )

const valuedWhere = (
  sql: Sql,
  session: AuthorizedSession,
  terms: ReadonlyArray<OrderTerm>,
  after: RecordList["request"]["after"]
): ReadonlyArray<Fragment> => {
  const [first] = terms
  if (first?.value === undefined) return []
  const own = [
    valueOf(sql, session, first.value.field, first.value.name),
    sql.literal(`${first.column} is not null`)
  ]
  if (after === null) return own
  // Limits the range of the index.
  const sign = sql.literal(first.direction === "asc" ? ">=" : "<=")
  return [
    ...own,
    sql`${sql.literal(first.column)} ${sign} ${first.bound(after[0])}`,
    afterPosition(sql, terms, after)
  ]
}
