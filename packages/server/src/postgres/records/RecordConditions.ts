// SQL conditions on records of a model, over the indexes of `record_values` (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, RecordCondition } from "@rapport/core/records/RecordStore.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"
import { filterConditions } from "../sql/ListQuery.ts"
import { survivorIds } from "../sql/Visibility.ts"
import { isText, membersOf } from "./RecordColumns.ts"

/** Characters of a text in `record_values.text`. */
const INDEXED_POINTS = 255
const DAY_MILLIS = 86_400_000

/** The value of `record_values.text`. */
const indexedText = (text: string): string => [...composedText(text)].slice(0, INDEXED_POINTS).join("")

/** The value of `record_values.number`. Times are epoch milliseconds. */
export const indexedNumber = ({ type }: StoredField, value: unknown): number =>
  type === "DATE" ? Date.parse(String(value)) / DAY_MILLIS : Number(value)

/** Filters and search of a list, in the two forms that a page needs. Both use the CTE `caller`. */
interface Conditions {
  /** Selects the ids of the records that match, as an intersection of indexes. */
  readonly ids: Fragment
  /** Conditions on a row of `custom_records record`, which read each value by its key. */
  readonly each: ReadonlyArray<Fragment>
}

/** Undefined for a list without conditions. */
export const conditionsOf = (session: AuthorizedSession, list: RecordList): Conditions | undefined => {
  const members = membersOf(session, list)
  const fieldOf = (filter: ListFilter) => list.model.fields.find(({ name }) => name === filter.field)
  const own = sql`select record.id from custom_records record
    where record.instance_id = ${String(session.instanceId)}::text::int8
      and record.model_id = ${String(list.model.id)}::text::int8`
  const idsOf = (where: RecordCondition): Fragment => {
    if ("and" in where) return sql`(${sql.join(" intersect ", false)(where.and.map(idsOf))})`
    if ("or" in where) return sql`(${sql.join(" union ", false)(where.or.map(idsOf))})`
    const field = fieldOf(where)
    if (field === undefined) return sql`(${own} and ${sql.and(filterConditions(members, [where]))})`
    const { condition, isComplement } = valueCondition(field, where)
    const found = sql`select value.record_id from record_values value
      where ${valueOf(session, field, "value")} and ${condition}`
    return isComplement ? sql`(${own} except ${found})` : sql`(${found})`
  }
  const each = (where: RecordCondition): Fragment => {
    if ("and" in where) return sql.and(where.and.map(each))
    if ("or" in where) return sql.or(where.or.map(each))
    const field = fieldOf(where)
    if (field === undefined) return sql.and(filterConditions(members, [where]))
    const { condition, isComplement } = valueCondition(field, where)
    return sql`(select ${condition} from record_values value where ${valueOf(session, field, "value")}
      and value.record_id = record.id) is ${sql.literal(isComplement ? "not true" : "true")}`
  }
  const all = list.where === null ? list.request.filters : [...list.request.filters, list.where]
  return all.length === 0 ? undefined : { ids: idsOf({ and: all }), each: all.map(each) }
}

/** Rows of one field in `record_values`, with a name for the statement. */
export const valueOf = (
  { instanceId }: AuthorizedSession,
  field: StoredField,
  value: string
): Fragment => sql`${sql.literal(value)}.instance_id = ${String(instanceId)}::text::int8
  and ${sql.literal(value)}.field_id = ${String(field.id)}::text::int8`

/** A condition on a row `value`. Records without a row meet the complement. */
const valueCondition = (field: StoredField, { operator, value }: ListFilter) => {
  if (operator === "isNull") return { condition: sql.literal("true"), isComplement: value === true }
  const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const condition = isText(field)
    ? textCondition(field, operator, given.map(String))
    : numberCondition(
        field,
        operator,
        given.map((one) => indexedNumber(field, one))
      )
  return { condition, isComplement: operator === "ne" || operator === "nin" }
}

const textCondition = (
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
        : sql`(${same} and exists (select 1 from custom_records whole where whole.instance_id = value.instance_id
            and whole.model_id = value.model_id and whole.id = value.record_id
            and normalize(whole.values->>${String(field.id)}::text, NFC) = any(${texts.map(composedText)}::text[])))`
    }
  }
}

/** Whether a trigram index can search for the text. For a shorter text PostgreSQL would scan the whole index. */
const hasTrigrams = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)
const literalPattern = (text: string): string => text.replace(/[\\%_]/gu, String.raw`\$&`)

const comparisons: Partial<Record<ListFilter["operator"], string>> = {
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<="
}

const numberCondition = (
  { target }: StoredField,
  operator: ListFilter["operator"],
  numbers: ReadonlyArray<number>
): Fragment => {
  const sent = sql`${numbers.map(String)}::text[]::float8[]`
  const comparison = comparisons[operator]
  if (comparison !== undefined)
    return sql`value.number ${sql.literal(comparison)} ${String(numbers[0])}::text::float8`
  // The id of a merged client means its survivor.
  return target === "client"
    ? sql`value.number = any(array(select survivor::float8 from (${survivorIds(sql`${sent}::int8[]`)}) survivors (survivor)))`
    : sql`value.number = any(${sent})`
}
