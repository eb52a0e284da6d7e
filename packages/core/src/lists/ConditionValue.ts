// Reads the value of a condition that is sent as JSON (contract §9.1, §9.2).
import { LIST_VALUES_MAX, SEARCH_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import type { Field, Operator, Value } from "@rapport/contract/lists/Collection.ts"
import { boundOf } from "@rapport/contract/records/Model.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { distinctOf } from "@rapport/contract/values/Distinct.ts"
import { rangeMillisOf } from "@rapport/contract/values/Time.ts"

type ConditionValue = { readonly value: Value | ReadonlyArray<Value> } | { readonly message: string }

/** in and nin have an array, whose equal values count once. */
export const readConditionValue = (given: Field, operator: Operator, value: unknown): ConditionValue => {
  if (operator === "isNull")
    return typeof value === "boolean" ? { value } : { message: "must be true or false" }
  // An array has values of one kind.
  const field: Field = given === "texts" ? "text" : given === "ids" ? "id" : given
  if (operator !== "in" && operator !== "nin") {
    const one = valueOf(field, value)
    return one === undefined ? { message: `must be ${wordOf(field)}` } : { value: one }
  }
  const sent: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  const values = sent.flatMap((one) => valueOf(field, one) ?? [])
  const different = distinctOf(values)
  return different.length > 0 && different.length <= LIST_VALUES_MAX && values.length === sent.length
    ? { value: different }
    : { message: `must be an array of 1 to ${LIST_VALUES_MAX} values, each ${wordOf(field)}` }
}

/** A value of a condition; times as epoch milliseconds. */
const valueOf = (field: Field, value: unknown): Value | undefined => {
  switch (field) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? value : undefined
    case "id":
    case "integer":
    case "signed": {
      const min = field === "id" ? 1 : field === "integer" ? 0 : -Number.MAX_SAFE_INTEGER
      return typeof value === "number" && Number.isSafeInteger(value) && value >= min ? value : undefined
    }
    case "time":
      return typeof value === "string" ? rangeMillisOf(value) : undefined
    case "date":
      return typeof value === "string" && boundOf("DATE", value) !== undefined ? value : undefined
    default:
      return typeof value === "string" && pointsOf(value) <= SEARCH_TEXT_POINTS_MAX ? value : undefined
  }
}
const words: Readonly<Record<string, string>> = {
  boolean: "true or false",
  number: "a number",
  id: "a positive integer",
  integer: "an integer of at least 0",
  signed: "an integer",
  time: "an ISO 8601 time or a date",
  date: "a date, YYYY-MM-DD"
}
const wordOf = (field: Field): string =>
  (typeof field === "string" ? words[field] : undefined) ??
  `a text of at most ${SEARCH_TEXT_POINTS_MAX} characters`
