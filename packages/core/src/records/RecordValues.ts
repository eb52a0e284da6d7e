// Validates the values of a record by the types and rules of its fields (contract §9.2).
import type { Violation } from "@rapport/contract/Errors.ts"
import { LONG_TEXT_POINTS_MAX, RECORD_STRING_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { boundOf, type FieldType } from "@rapport/contract/records/Model.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { isoOf, millisOf } from "@rapport/contract/values/Time.ts"
import { Effect } from "effect"
import type { PatternMatcher } from "./Patterns.ts"
import type { Association, Scalar, StoredField, StoredModel, StoredValues } from "./RecordStore.ts"

type TypedValue = { readonly value: Scalar } | { readonly fault: string }

const textMax: Partial<Record<FieldType, number>> = {
  STRING: RECORD_STRING_POINTS_MAX,
  TEXT: LONG_TEXT_POINTS_MAX
}
const textOf = (type: FieldType, value: unknown): TypedValue => {
  const longest = textMax[type] ?? 0
  return typeof value === "string" && pointsOf(value) <= longest
    ? { value }
    : { fault: `must be a text of at most ${longest} characters` }
}
const numberOf = (value: unknown, fits: (n: number) => boolean, fault: string): TypedValue =>
  typeof value === "number" && fits(value) ? { value: value + 0 } : { fault }

/** The stored form of the value, or its fault. */
const checkType = (type: FieldType, value: unknown): TypedValue => {
  switch (type) {
    case "STRING":
    case "TEXT":
      return textOf(type, value)
    case "INTEGER":
      return numberOf(value, Number.isSafeInteger, "must be an integer")
    case "FLOAT":
      return numberOf(value, Number.isFinite, "must be a number")
    case "ASSOCIATION":
      return numberOf(value, (n) => Number.isSafeInteger(n) && n > 0, "must be a positive integer")
    case "BOOLEAN":
      return typeof value === "boolean" ? { value } : { fault: "must be true or false" }
    case "DATE":
      return typeof value === "string" && boundOf("DATE", value) !== undefined
        ? { value }
        : { fault: "must be a date, YYYY-MM-DD" }
    case "DATETIME": {
      const millis = typeof value === "string" ? millisOf(value) : undefined
      return millis === undefined
        ? { fault: "must be an ISO 8601 time with Z or an offset" }
        : { value: isoOf(millis) }
    }
  }
}

/** Unique texts and values of an enum are compared and stored in normal form C, other texts stay as sent. */
const storedOf = ({ rules, unique }: StoredField, value: unknown): unknown =>
  typeof value === "string" && (unique || rules.enum !== undefined) ? composedText(value) : value

const brokenRule = Effect.fnUntraced(function* (
  { rules, type }: StoredField,
  value: Scalar,
  matches: PatternMatcher
): Effect.fn.Return<string | undefined> {
  const size = type === "STRING" || type === "TEXT" ? undefined : boundOf(type, value)
  if (size !== undefined) {
    const [min, max] = [boundOf(type, rules.min), boundOf(type, rules.max)]
    if (min !== undefined && size < min) return `must be at least ${rules.min}`
    if (max !== undefined && size > max) return `must be at most ${rules.max}`
  }
  if (typeof value === "string") {
    const points = rules.minLength === undefined && rules.maxLength === undefined ? 0 : pointsOf(value)
    if (rules.minLength !== undefined && points < rules.minLength)
      return `must have at least ${rules.minLength} characters`
    if (rules.maxLength !== undefined && points > rules.maxLength)
      return `must have at most ${rules.maxLength} characters`
    if (rules.pattern !== undefined && !(yield* matches(rules.pattern, value)))
      return `must match ${rules.pattern}`
  }
  return rules.enum !== undefined &&
    !rules.enum.some((one) => (typeof one === "string" ? composedText(one) : one) === value)
    ? "must be one of the values of its rule enum"
    : undefined
})

interface CheckedValues {
  readonly values: StoredValues
  readonly violations: ReadonlyArray<Violation>
  /** Only associations of the request. */
  readonly associations: ReadonlyArray<Association>
}

/** Merges the requested values into the present ones; null removes. `path` is that of the values in the request. */
export const checkValues = Effect.fnUntraced(function* (
  { fields }: Pick<StoredModel, "fields">,
  given: Readonly<Record<string, unknown>>,
  present: StoredValues,
  path: string,
  matches: PatternMatcher
): Effect.fn.Return<CheckedValues> {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const violations: Array<Violation> = []
  const associations: Array<Association> = []
  const values = new Map<string, Scalar>()
  for (const field of fields) {
    const value = present[String(field.id)]
    if (value !== undefined) values.set(String(field.id), value)
  }
  for (const [name, value] of Object.entries(given)) {
    const field = byName.get(name)
    const at = `${path}.${name}`
    if (field === undefined) {
      violations.push({ path: at, message: "is unknown" })
      continue
    }
    if (value === null) {
      values.delete(String(field.id))
      continue
    }
    const checked = checkType(field.type, storedOf(field, value))
    const fault = "fault" in checked ? checked.fault : yield* brokenRule(field, checked.value, matches)
    if (fault !== undefined) violations.push({ path: at, message: fault })
    else if ("value" in checked) {
      values.set(String(field.id), checked.value)
      if (field.target !== null && typeof checked.value === "number")
        associations.push({ target: field.target, id: checked.value, path: at })
    }
  }
  for (const { id, name, required } of fields) {
    const at = `${path}.${name}`
    if (required && !values.has(String(id)) && !violations.some((violation) => violation.path === at))
      violations.push({ path: at, message: "is required" })
  }
  return { values: Object.fromEntries(values), violations, associations }
})

/** Ignores values that a removed field left behind. */
export const isUnchanged = (
  { fields }: Pick<StoredModel, "fields">,
  before: StoredValues,
  after: StoredValues
): boolean => fields.every(({ id }) => before[String(id)] === after[String(id)])
