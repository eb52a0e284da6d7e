// Which ids of records the indexes of values give for one condition (docs/contract.md §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField } from "@rapport/core/records/RecordStore.ts"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Shares of the records: up to the first an index finds those of a condition, from the second on a walk meets them sooner. */
export const FEW_SHARE = 0.05
export const MOST_SHARE = 0.4
/** Characters of a text that its narrow row is ordered by. */
const TEXT_NARROW_POINTS = 255
/** Characters of a beginning that the index is asked for. */
const BEGINNING_POINTS = 200
/** How many trigrams of a text are asked for: more make no search more exact. */
const GRAMS_ASKED_MAX = 16
/** Where many records hold the text: each trigram then costs an entry for each of them. */
const GRAMS_ASKED_OF_MANY = 1
/** Characters of a text that an index holds beside its record: that of `custom_values_short_texts`. */
const SHORT_POINTS = 600
/** Records that are counted together, where those without a value are looked for: two to the power of so many. */
const BLOCK_BITS = 10
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

export interface Asking {
  readonly sql: Sql
  readonly session: AuthorizedSession
  readonly list: RecordList
  /** Whether the index of letters has been built (schema/0126_record_indexes.ts). */
  readonly hasLetters: boolean
}

export const fieldOf = ({ list }: Asking, { field }: ListFilter): StoredField | undefined =>
  list.model.fields.find(({ name }) => name === field)

/** Undefined where no index tells. */
export const metBy = (asking: Asking, leaf: ListFilter, share: number | undefined): Met | undefined => {
  const { session, sql } = asking
  const { operator, value } = leaf
  const field = fieldOf(asking, leaf)
  if (field === undefined) return undefined
  const values = Array.isArray(value) ? value : [value]
  const of = valuesOf(asking, field)
  if (operator === "isNull") {
    if (value === true)
      return share !== undefined && share <= FEW_SHARE
        ? { ids: emptyIn(asking, field), isExact: true, isIndexOnly: true }
        : undefined
    return { ids: sql`${of} and ${heldIn(sql, field)}`, isExact: true, isIndexOnly: true }
  }
  if (isText(field)) {
    if (operator === "contains") return metByTexts(asking, field, values.map(String), share)
    const condition = textCondition(sql, operator, values.map(String))
    // Of a TEXT the narrow row holds the beginning as it was written, and all of it in small letters alone.
    const isExact = field.type === "STRING" || operator === "startsWith"
    const isIndexOnly = operator === "eq" || operator === "in"
    return condition && { ids: sql`${of} and ${condition}`, isExact, isIndexOnly }
  }
  const condition = numberCondition(
    sql,
    field,
    operator,
    values.map((one) => numberOf(field, one)),
    session.instanceId
  )
  return (
    condition && {
      ids: sql`${of} and indexed.num is not null and ${condition}`,
      isExact: true,
      isIndexOnly: true
    }
  )
}

/** Records whose text in one field contains all of these. */
export const metByTexts = (
  asking: Asking,
  field: StoredField,
  values: ReadonlyArray<string>,
  share: number | undefined
): Met => {
  const { hasLetters, sql } = asking
  const asked = share === undefined ? GRAMS_ASKED_MAX : gramsAsked(share)
  if (hasLetters && asked > 0) {
    const letters = values.map(
      (value) => sql`custom_letters_asked(${whole(sql, field.id)}, lower(${value}::text), ${asked}::int4)`
    )
    // Letters are of one field already: an index of fields beside theirs would be read for nothing.
    const ids = sql`${valuesOf(asking, field, " + 0")} and indexed.low is not null
      and custom_letters(indexed.field_id, indexed.low) @@ (${sql.join(" && ", false)(letters)})
      and ${holdsAll(sql, values)}`
    return { ids, isExact: true, isIndexOnly: false }
  }
  const ids = sql`select record_id from (${sql.join(" union all ", false)(readTexts(asking, field, values))}) texts`
  return { ids, isExact: true, isIndexOnly: false }
}

/** The same by reading them in the order of their records: the short ones, and the long ones. */
export const readTexts = (
  asking: Asking,
  field: StoredField,
  values: ReadonlyArray<string>
): ReadonlyArray<Fragment> =>
  ["<=", ">"].map(
    (sign) => asking.sql`${valuesOf(asking, field)} and indexed.low is not null
      and length(indexed.low) ${asking.sql.literal(`${sign} ${SHORT_POINTS}`)} and ${holdsAll(asking.sql, values)}`
  )

/** Whether the text of `indexed` contains all of these. */
export const holdsAll = (sql: Sql, values: ReadonlyArray<string>): Fragment =>
  sql.and(values.map((value) => sql`strpos(indexed.low, lower(${value}::text)) > 0`))

// Written out: a plan that does not see them takes every field for as large as any other.
const valuesOf = ({ session, sql }: Asking, field: StoredField, plus = ""): Fragment =>
  sql`select indexed.record_id from custom_values indexed
    where indexed.instance_id${sql.literal(plus)} = ${whole(sql, session.instanceId)}
      and indexed.field_id${sql.literal(plus)} = ${whole(sql, field.id)}`

const heldIn = (sql: Sql, field: StoredField): Fragment =>
  sql.literal(isText(field) ? "indexed.txt is not null" : "indexed.num is not null")

/** Records without a value, as every value has a row: looked for where a block of ids has more records than values. */
const emptyIn = ({ list, session, sql }: Asking, field: StoredField): Fragment => {
  const bits = sql.literal(`${BLOCK_BITS}`)
  const own = sql`record.instance_id = ${whole(sql, session.instanceId)}
    and record.model_id = ${whole(sql, list.model.id)}`
  const of = sql`indexed.instance_id = ${whole(sql, session.instanceId)}`
  const held = sql`${of} and indexed.field_id = ${whole(sql, field.id)} and ${heldIn(sql, field)}`
  return sql`select empty.id as record_id from (select record.id >> ${bits} as block, count(*) as number
      from custom_records record where ${own} group by 1) records
    left join (select indexed.record_id >> ${bits} as block, count(*) as number from custom_values indexed
      where ${held} group by 1) held
      on held.block = records.block
    cross join lateral (select record.id from custom_records record where ${own}
      and record.id >= records.block << ${bits} and record.id < (records.block + 1) << ${bits}
      and not exists (select 1 from custom_values indexed where ${of} and indexed.model_id = record.model_id
        and indexed.record_id = record.id and indexed.field_id = ${whole(sql, field.id)}) offset 0) empty
    where records.number > coalesce(held.number, 0)
      and (select count(*) from custom_records record where ${own}) >
        (select count(*) from custom_values indexed where ${held})`
}

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
    default:
      return undefined
  }
}
