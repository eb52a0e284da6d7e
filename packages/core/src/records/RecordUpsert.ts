// Plans the creates and changes of an upsert (contract §9.2).
import type { Violation } from "@rapport/contract/Errors.ts"
import type { UpsertRequest } from "@rapport/contract/records/CustomRecord.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { requireNoViolations } from "../receipts/Writes.ts"
import type {
  Association,
  RecordChange,
  Scalar,
  StoredField,
  StoredModel,
  StoredRecord,
  StoredValues
} from "./RecordStore.ts"
import { type PatternMatcher, makePatternMatcher } from "./Patterns.ts"
import { isUnchanged, checkValues } from "./RecordValues.ts"

type FindByKey = (
  field: StoredField,
  keys: ReadonlyArray<Scalar>
) => Effect.Effect<ReadonlyArray<StoredRecord>, SourceUnavailable>

/** Matches all records field by field, so that each pattern is compiled once. */
const matchedByField = Effect.fnUntraced(function* (
  { fields }: Pick<StoredModel, "fields">,
  records: UpsertRequest["records"]
): Effect.fn.Return<PatternMatcher> {
  const matches = makePatternMatcher()
  const results = new Map<string, Map<string, boolean>>()
  for (const { name, rules } of fields) {
    const { pattern } = rules
    if (pattern === undefined) continue
    const found = results.get(pattern) ?? new Map<string, boolean>()
    results.set(pattern, found)
    for (const { values } of records) {
      const text = Object.hasOwn(values, name) ? values[name] : undefined
      if (typeof text === "string" && !found.has(text)) found.set(text, yield* matches(pattern, text))
    }
  }
  return (pattern, text) => {
    const isFound = results.get(pattern)?.get(text)
    return isFound === undefined ? matches(pattern, text) : Effect.succeed(isFound)
  }
})

/** Unique texts are compared in normal form C. A field that became unique later may have texts in another form. */
const keyOf = (value: Scalar | undefined): Scalar | undefined =>
  typeof value === "string" ? composedText(value) : value

/** Fails with all violations; writes nothing. */
export const upsertPlan = Effect.fnUntraced(function* (
  model: StoredModel,
  { keyField, records }: UpsertRequest,
  find: FindByKey
) {
  const field = model.fields.find(({ name }) => name === keyField)
  if (field === undefined || !field.unique) {
    yield* requireNoViolations([{ path: "keyField", message: "must name a unique field of the model" }])
    return yield* Effect.die("refused before")
  }
  const key = String(field.id)
  const violations: Array<Violation> = []
  const keys: Array<Scalar | undefined> = []
  const met = new Set<Scalar>()
  const matches = yield* matchedByField(model, records)
  for (const [i, { values }] of records.entries()) {
    // Checks only the key here. Other faults depend on the stored record.
    const given = Object.hasOwn(values, keyField) ? values[keyField] : null
    const checked = yield* checkValues(
      { fields: [field] },
      { [keyField]: given },
      {},
      `records[${i}].values`,
      matches
    )
    const value = checked.values[key]
    keys.push(value)
    const path = `records[${i}].values.${keyField}`
    if (value === undefined) {
      if (checked.violations.length === 0) violations.push({ path, message: "is required: it is the key" })
    } else if (met.has(value))
      violations.push({ path, message: "is the key of another record of this request" })
    else met.add(value)
  }
  const found = new Map((yield* find(field, [...met])).map((record) => [keyOf(record.values[key]), record]))
  const associations: Array<Association> = []
  const creates: Array<StoredValues> = []
  const changes: Array<RecordChange> = []
  const unchanged: Array<StoredRecord> = []
  for (const [i, { values }] of records.entries()) {
    const value = keys[i]
    const present = value === undefined ? undefined : found.get(value)
    const checked = yield* checkValues(model, values, present?.values ?? {}, `records[${i}].values`, matches)
    violations.push(...checked.violations.filter(({ path }) => !violations.some((one) => one.path === path)))
    associations.push(...checked.associations)
    if (present === undefined) creates.push(checked.values)
    else if (isUnchanged(model, present.values, checked.values)) unchanged.push(present)
    else changes.push({ id: present.id, values: checked.values })
    // A hundred records of a hundred fields take long, so other requests run between records.
    yield* Effect.yieldNow
  }
  yield* requireNoViolations(violations)
  /** In the order of the request. */
  const placed = (made: ReadonlyArray<StoredRecord>, changed: ReadonlyArray<StoredRecord>) => {
    const byKey = new Map(
      [...unchanged, ...made, ...changed].map((record) => [keyOf(record.values[key]), record])
    )
    return keys.flatMap((value) => (value === undefined ? [] : (byKey.get(value) ?? [])))
  }
  return { associations, creates, changes, placed }
})
