// How a list of many records finds few of them by an index of a field that it has a condition on, and counts them
// (docs/contract.md §9.2). It narrows what is looked at and decides nothing: the list's own conditions stand beside it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { rowsOf, selectedIds } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Records of one condition that are looked up one by one; above it the list is walked. */
export const FOUND_MAX = 1_000
/** Characters of a text that its narrow row is ordered by. */
const TEXT_NARROW_POINTS = 255
/** Characters of a beginning that the index is asked for. */
const BEGINNING_POINTS = 200
/** Characters of a trigram, and how many of a text are asked for: more make no search more exact. */
const GRAM_POINTS = 3
const GRAMS_ASKED_MAX = 16
const DAY = 86_400_000

const counts = rowsOf(Schema.Struct({ found: Schema.Int }))

export const isText = ({ type }: StoredField): boolean => type === "STRING" || type === "TEXT"
/** A value as its narrow row holds it. */
export const numberOf = (field: StoredField, value: unknown): number =>
  field.type === "DATE" ? Date.parse(String(value)) / DAY : Number(value)

const comparisons: Partial<Record<ListFilter["operator"], string>> = {
  eq: "=",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<="
}

/** Ids of the records that meet a condition, or of those and a few others. */
interface Met {
  readonly ids: Fragment
  readonly isExact: boolean
}

/** Undefined where no index tells. */
const metBy = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { model }: RecordList,
  { field: name, operator, value }: ListFilter
): Met | undefined => {
  const field = model.fields.find((one) => one.name === name)
  if (field === undefined) return undefined
  const values = Array.isArray(value) ? value : [value]
  // Trigrams are of one field already: an index of fields beside theirs would be read for nothing.
  const plus = sql.literal(isByGrams(field, operator, values) ? " + 0" : "")
  const of = sql`select indexed.record_id from custom_values indexed
    where indexed.instance_id${plus} = ${instanceId} and indexed.field_id${plus} = ${field.id}`
  if (isText(field)) {
    const condition = textCondition(sql, field, operator, values.map(String))
    // Of a TEXT the narrow row holds the beginning as it was written, and all of it in small letters alone.
    const isExact = field.type === "STRING" || operator === "contains" || operator === "startsWith"
    return condition && { ids: sql`${of} and ${condition}`, isExact }
  }
  const condition = numberCondition(
    sql,
    field,
    operator,
    values.map((one) => String(numberOf(field, one))),
    instanceId
  )
  return condition && { ids: sql`${of} and indexed.num is not null and ${condition}`, isExact: true }
}

const isByGrams = (
  field: StoredField,
  operator: ListFilter["operator"],
  [value]: ReadonlyArray<unknown>
): boolean => isText(field) && operator === "contains" && [...String(value)].length >= GRAM_POINTS

const numberCondition = (
  sql: Sql,
  { target }: StoredField,
  operator: ListFilter["operator"],
  values: ReadonlyArray<string>,
  instanceId: number
): Fragment | undefined => {
  if (target === "client" && (operator === "in" || operator === "eq"))
    return sql`indexed.num = any(array(select coalesce(client.merged_into_id, client.id)::float8 from clients client
      where client.instance_id = ${instanceId} and client.id = any(${values}::text[]::int8[])))`
  if (operator === "in") return sql`indexed.num = any(${values}::text[]::float8[])`
  const comparison = comparisons[operator]
  return comparison === undefined
    ? undefined
    : sql`indexed.num ${sql.literal(comparison)} ${values[0] ?? ""}::text::float8`
}

const textCondition = (
  sql: Sql,
  field: StoredField,
  operator: ListFilter["operator"],
  values: ReadonlyArray<string>
): Fragment | undefined => {
  const [value = ""] = values
  const low = sql`lower(${value}::text)`
  switch (operator) {
    case "eq":
      return sql`indexed.txt is not null and indexed.txt = left(${value}::text, ${TEXT_NARROW_POINTS}) collate "uk-x-icu"`
    case "in":
      return sql`indexed.txt is not null and indexed.txt = any(array(
        select left(value, ${TEXT_NARROW_POINTS}) from unnest(${values}::text[]) value))`
    case "startsWith": {
      const beginning = sql`left(${low}, ${BEGINNING_POINTS}) collate "C"`
      // What follows the beginning in a narrow row sorts before as many of the last character.
      return sql`indexed.low is not null and left(indexed.low, 255) >= ${beginning}
        and left(indexed.low, 255) <= ${beginning} || repeat(chr(1114111), ${TEXT_NARROW_POINTS})
        and starts_with(indexed.low, ${low})`
    }
    case "contains": {
      const holds = sql`strpos(indexed.low, ${low}) > 0`
      if (!isByGrams(field, operator, values)) return sql`indexed.low is not null and ${holds}`
      const hashOf = (text: Fragment) => sql`hashtextextended(${text}, ${field.id}::int8)`
      const grams = sql`array(select ${hashOf(sql`substr(wanted.low, place, ${GRAM_POINTS}::int4)`)}
        from (select ${low} as low) wanted, lateral (
          select length(wanted.low) - ${GRAM_POINTS - 1}::int4 as place
          union all (select generate_series(1, length(wanted.low) - ${GRAM_POINTS - 1}::int4, ${GRAM_POINTS}::int4)
            limit ${GRAMS_ASKED_MAX})) places)`
      const held = sql.literal("custom_grams(indexed.field_id, indexed.low)")
      return sql`indexed.low is not null
        and (${held} @> ${grams} or ${held} @> array[${hashOf(sql.literal("''"))}]) and ${holds}`
    }
    default:
      return undefined
  }
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
    return known.length < members.length ? [] : [sql.join(" union all ", false)(known)]
  }
  const met = metBy(sql, session, list, where)
  return met === undefined ? [] : [met.ids]
}

/** What every record must meet, groups of one kind taken apart. */
export const conditionsOf = ({ request, where }: RecordList): ReadonlyArray<Where> =>
  where === null ? request.filters : [...request.filters, ...flat(where)]

const flat = (where: Where): ReadonlyArray<Where> => {
  if ("and" in where) return where.and.flatMap(flat)
  const [only, ...others] = "or" in where ? where.or : [where]
  return only !== undefined && only !== where && others.length === 0 ? flat(only) : [where]
}

/** A condition on `record.id` for the whole list, where one of those that every record must meet is met by few. */
export const foundBy = Effect.fnUntraced(function* (sql: Sql, session: AuthorizedSession, list: RecordList) {
  for (const ids of candidatesOf(sql, session, list, { and: conditionsOf(list) })) {
    const found = yield* selectedIds(
      sql`select record_id::float8 as id from (${ids}) met limit ${FOUND_MAX + 1}`.unprepared
    )
    if (found.length <= FOUND_MAX) return sql`record.id = any(${idArray(sql, found)})`
  }
  return undefined
})

/** How many records there are, as far as a list counts, where indexes know who meets its one condition or one or. */
export const countedBy = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  list: RecordList
) {
  const [only, ...others] = conditionsOf(list)
  if (only === undefined || others.length > 0 || !list.counted) return undefined
  const countOf = (ids: Fragment) =>
    Effect.map(
      counts.get(
        sql`select count(*)::int4 as found from (${ids} limit ${LIST_TOTAL_MAX + 1}) met`.unprepared
      ),
      ({ found }) => found
    )
  const exact = (where: Where) => {
    const met = "field" in where ? metBy(sql, session, list, where) : undefined
    return met?.isExact === true ? met.ids : undefined
  }
  const members = ("or" in only ? only.or : [only]).map(exact)
  const known = members.filter((ids) => ids !== undefined)
  if (members.length === 1 && known[0] !== undefined) return yield* countOf(known[0])
  // One member that many records meet is enough to end a count.
  for (const ids of known) if ((yield* countOf(ids)) > LIST_TOTAL_MAX) return LIST_TOTAL_MAX + 1
  return known.length < members.length
    ? undefined
    : yield* countOf(sql`select record_id from (${sql.join(" union ", false)(known)}) met`)
})
