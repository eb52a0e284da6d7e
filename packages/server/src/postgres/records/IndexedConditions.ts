// Which ids of records the indexes of values give for one condition (docs/contract.md §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Shares of the records: up to the first an index finds those of a condition, from the second on a walk meets them sooner. */
export const FEW_SHARE = 0.05
const MOST_SHARE = 0.4
/** Characters of a text that its narrow row is ordered by. */
const TEXT_NARROW_POINTS = 255
/** Characters of a beginning that the index is asked for. */
const BEGINNING_POINTS = 200
/** Characters of a trigram, and how many of a text are asked for: more make no search more exact. */
const GRAM_POINTS = 3
const GRAMS_ASKED_MAX = 16
/** Where many records hold the text: each trigram then costs an entry for each of them. */
const GRAMS_ASKED_OF_MANY = 1
const DAY = 86_400_000

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
export interface Met {
  readonly ids: Fragment
  readonly isExact: boolean
  /** No row of a table is read: such sets are joined in a moment, while a plan for texts guesses and loops. */
  readonly isIndexOnly: boolean
}

/** Undefined where no index tells. */
export const metBy = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { model }: RecordList,
  { field: name, operator, value }: ListFilter,
  share: number | undefined
): Met | undefined => {
  const field = model.fields.find((one) => one.name === name)
  if (field === undefined) return undefined
  const values = Array.isArray(value) ? value : [value]
  // Trigrams are of one field already: an index of fields beside theirs would be read for nothing.
  const grams = !isByGrams(field, operator, values)
    ? 0
    : share === undefined
      ? GRAMS_ASKED_MAX
      : gramsAsked(share)
  const plus = sql.literal(grams > 0 ? " + 0" : "")
  // Written out: a plan that does not see them takes every field for as large as any other.
  const of = sql`select indexed.record_id from custom_values indexed
    where indexed.instance_id${plus} = ${whole(sql, instanceId)} and indexed.field_id${plus} = ${whole(sql, field.id)}`
  if (operator === "isNull")
    return value === false
      ? {
          ids: sql`${of} and indexed.${sql.literal(isText(field) ? "txt" : "num")} is not null`,
          isExact: true,
          isIndexOnly: true
        }
      : undefined
  if (isText(field)) {
    const condition = textCondition(sql, field, operator, values.map(String), grams)
    // Of a TEXT the narrow row holds the beginning as it was written, and all of it in small letters alone.
    const isExact = field.type === "STRING" || operator === "contains" || operator === "startsWith"
    const isIndexOnly = operator === "eq" || operator === "in"
    return condition && { ids: sql`${of} and ${condition}`, isExact, isIndexOnly }
  }
  const condition = numberCondition(
    sql,
    field,
    operator,
    values.map((one) => numberOf(field, one)),
    instanceId
  )
  return (
    condition && {
      ids: sql`${of} and indexed.num is not null and ${condition}`,
      isExact: true,
      isIndexOnly: true
    }
  )
}

const isByGrams = (
  field: StoredField,
  operator: ListFilter["operator"],
  [value]: ReadonlyArray<unknown>
): boolean => isText(field) && operator === "contains" && [...String(value)].length >= GRAM_POINTS

const whole = (sql: Sql, id: number): Fragment => sql.literal(`${Math.trunc(id)}::int8`)

const gramsAsked = (share: number): number => {
  if (share >= MOST_SHARE) return 0
  return share > FEW_SHARE ? GRAMS_ASKED_OF_MANY : GRAMS_ASKED_MAX
}

const numberCondition = (
  sql: Sql,
  { target }: StoredField,
  operator: ListFilter["operator"],
  values: ReadonlyArray<number>,
  instanceId: number
): Fragment | undefined => {
  const texts = values.map(String)
  if (target === "client" && (operator === "in" || operator === "eq"))
    return sql`indexed.num = any(array(select coalesce(client.merged_into_id, client.id)::float8 from clients client
      where client.instance_id = ${instanceId} and client.id = any(${texts}::text[]::int8[])))`
  if (operator === "in") return sql`indexed.num = any(${texts}::text[]::float8[])`
  const comparison = comparisons[operator]
  return comparison === undefined
    ? undefined
    : sql`indexed.num ${sql.literal(comparison)} ${sql.literal(`'${Number(values[0])}'::float8`)}`
}

const textCondition = (
  sql: Sql,
  field: StoredField,
  operator: ListFilter["operator"],
  values: ReadonlyArray<string>,
  asked: number
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
      if (asked === 0) return sql`indexed.low is not null and ${holds}`
      const hashOf = (text: Fragment) => sql`hashtextextended(${text}, ${field.id}::int8)`
      const grams = sql`array(select ${hashOf(sql`substr(wanted.low, place, ${GRAM_POINTS}::int4)`)}
        from (select ${low} as low) wanted, lateral (
          select length(wanted.low) - ${GRAM_POINTS - 1}::int4 as place
          union all (select generate_series(1, length(wanted.low) - ${GRAM_POINTS - 1}::int4, ${GRAM_POINTS}::int4)
            limit ${asked}::int4)) places)`
      const held = sql.literal("custom_grams(indexed.field_id, indexed.low)")
      return sql`indexed.low is not null
        and (${held} @> ${grams} or ${held} @> array[${hashOf(sql.literal("''"))}]) and ${holds}`
    }
    default:
      return undefined
  }
}
