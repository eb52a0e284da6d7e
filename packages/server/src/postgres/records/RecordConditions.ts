// Conditions on records of a model, in SQL over the indexes of `record_values` (docs/contract.md §9.2). The planner of PostgreSQL
// chooses among them.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import type { SqlClient, Statement } from "effect/sql"
import { filterConditions } from "../sql/ListQuery.ts"
import { survivorIds } from "../sql/Visibility.ts"
import { isText, membersOf } from "./RecordColumns.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Characters of a text in `record_values.text`. */
const INDEXED_POINTS = 255
const DAY_MILLIS = 86_400_000

/** A text as `record_values.text` holds it. */
export const indexedText = (text: string): string => [...composedText(text)].slice(0, INDEXED_POINTS).join("")

/** A value of a field that is no text, as `record_values.number` holds it. Times come as epoch milliseconds. */
export const indexedNumber = ({ type }: StoredField, value: unknown): number =>
  type === "DATE" ? Date.parse(String(value)) / DAY_MILLIS : Number(value)

/** All conditions of a list on `custom_records record`, its filters and its search, over `caller`. */
export const conditionsOf = (
  sql: Sql,
  session: AuthorizedSession,
  list: RecordList
): ReadonlyArray<Fragment> => {
  const members = membersOf(sql, session, list)
  const leaf = (filter: ListFilter): Fragment => {
    const field = list.model.fields.find(({ name }) => name === filter.field)
    return field === undefined
      ? sql.and(filterConditions(sql, members, [filter]))
      : valueCondition(sql, session, field, filter)
  }
  const read = (where: Where): Fragment => {
    if ("and" in where) return sql.and(where.and.map(read))
    return "or" in where ? sql.or(where.or.map(read)) : leaf(where)
  }
  return [...list.request.filters.map(leaf), ...(list.where === null ? [] : [read(list.where)])]
}

/** Rows of one field in `record_values`; the condition on `value` is of that field alone. */
export const valueOf = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  field: StoredField,
  value: string
): Fragment => sql`${sql.literal(value)}.instance_id = ${String(instanceId)}::text::int8
  and ${sql.literal(value)}.field_id = ${String(field.id)}::text::int8`

const valueCondition = (
  sql: Sql,
  session: AuthorizedSession,
  field: StoredField,
  { operator, value }: ListFilter
): Fragment => {
  const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const found = (condition: Fragment) => sql`exists (select 1 from record_values value
    where ${valueOf(sql, session, field, "value")} and value.record_id = record.id and ${condition})`
  if (operator === "isNull") return value === true ? sql`not ${found(sql`true`)}` : found(sql`true`)
  const isComplement = operator === "ne" || operator === "nin"
  const condition = isText(field)
    ? textCondition(sql, field, operator, given.map(String))
    : numberCondition(
        sql,
        field,
        operator,
        given.map((one) => indexedNumber(field, one))
      )
  return isComplement ? sql`not ${found(condition)}` : found(condition)
}

const textCondition = (
  sql: Sql,
  field: StoredField,
  operator: ListFilter["operator"],
  texts: ReadonlyArray<string>
): Fragment => {
  const [text = ""] = texts
  const folded = foldedText(text)
  switch (operator) {
    case "contains":
      return hasTrigrams(folded)
        ? sql`value.folded like ${`%${literalPattern(folded)}%`}::text`
        : sql`strpos(value.folded, ${folded}::text) > 0`
    case "startsWith":
      return sql`value.folded like ${`${literalPattern(folded)}%`}::text`
    default: {
      const same = sql`value.text = any(${texts.map(indexedText)}::text[])`
      // The rest of a longer text is compared in the record.
      return texts.every((one) => indexedText(one).length < INDEXED_POINTS)
        ? same
        : sql`(${same} and normalize(record.values->>${String(field.id)}::text, NFC) = any(${texts.map(composedText)}::text[]))`
    }
  }
}

/** Whether an index of trigrams narrows a search for the text: of a shorter one it would be read whole. */
const hasTrigrams = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)
const literalPattern = (text: string): string => text.replace(/[\\%_]/gu, String.raw`\$&`)

const comparisons: Partial<Record<ListFilter["operator"], string>> = {
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<="
}

const numberCondition = (
  sql: Sql,
  { target }: StoredField,
  operator: ListFilter["operator"],
  numbers: ReadonlyArray<number>
): Fragment => {
  const sent = sql`${numbers.map(String)}::text[]::float8[]`
  const comparison = comparisons[operator]
  if (comparison !== undefined)
    return sql`value.number ${sql.literal(comparison)} ${String(numbers[0])}::text::float8`
  // The old id of a merged client means the client that is left.
  return target === "client"
    ? sql`value.number = any(array(select survivor::float8 from (${survivorIds(sql, sql`${sent}::int8[]`)}) survivors (survivor)))`
    : sql`value.number = any(${sent})`
}
