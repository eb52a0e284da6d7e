// What an upsert makes and what it changes, decided from the records that have its keys (contract §9.2).
import type { Violation } from "@rapport/contract/Errors.ts"
import type { UpsertRequest } from "@rapport/contract/records/CustomRecord.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { refuse } from "../receipts/Writes.ts"
import type {
  Association,
  RecordChange,
  Scalar,
  StoredField,
  StoredModel,
  StoredRecord,
  StoredValues
} from "./RecordStore.ts"
import { type Matching, matching } from "./Patterns.ts"
import { isUnchanged, judgeValues } from "./RecordValues.ts"

type Find = (
  field: StoredField,
  keys: ReadonlyArray<Scalar>
) => Effect.Effect<ReadonlyArray<StoredRecord>, SourceUnavailable>

/** Matches the pattern of a field with the values of all records before that of the next field: each is compiled once. */
const matchedByField = Effect.fnUntraced(function* (
  { fields }: Pick<StoredModel, "fields">,
  records: UpsertRequest["records"]
): Effect.fn.Return<Matching> {
  const isMatched = matching()
  const known = new Map<string, Map<string, boolean>>()
  for (const { name, rules } of fields) {
    const { pattern } = rules
    if (pattern === undefined) continue
    const found = known.get(pattern) ?? new Map<string, boolean>()
    known.set(pattern, found)
    for (const { values } of records) {
      const text = Object.hasOwn(values, name) ? values[name] : undefined
      if (typeof text === "string" && !found.has(text)) found.set(text, yield* isMatched(pattern, text))
    }
  }
  return (pattern, text) => {
    const isFound = known.get(pattern)?.get(text)
    return isFound === undefined ? isMatched(pattern, text) : Effect.succeed(isFound)
  }
})

/** Unique texts are equal in normal form C; a record of an earlier version may hold another form. */
const keyOf = (value: Scalar | undefined): Scalar | undefined =>
  typeof value === "string" ? composedText(value) : value

/** Fails with every violation at once; nothing is written before. */
export const upsertPlan = Effect.fnUntraced(function* (
  model: StoredModel,
  { keyField, records }: UpsertRequest,
  find: Find
) {
  const field = model.fields.find(({ name }) => name === keyField)
  if (field === undefined || !field.unique) {
    yield* refuse([{ path: "keyField", message: "must name a unique field of the model" }])
    return yield* Effect.die("refused before")
  }
  const key = String(field.id)
  const violations: Array<Violation> = []
  const keys: Array<Scalar | undefined> = []
  const met = new Set<Scalar>()
  const isMatched = yield* matchedByField(model, records)
  for (const [i, { values }] of records.entries()) {
    // Only the key: other faults are reported when the record that it is merged into is known.
    const given = Object.hasOwn(values, keyField) ? values[keyField] : null
    const judged = yield* judgeValues(
      { fields: [field] },
      { [keyField]: given },
      {},
      `records[${i}].values`,
      isMatched
    )
    const value = judged.values[key]
    keys.push(value)
    const path = `records[${i}].values.${keyField}`
    if (value === undefined) {
      if (judged.violations.length === 0) violations.push({ path, message: "is required: it is the key" })
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
    const judged = yield* judgeValues(model, values, present?.values ?? {}, `records[${i}].values`, isMatched)
    violations.push(...judged.violations.filter(({ path }) => !violations.some((one) => one.path === path)))
    associations.push(...judged.associations)
    if (present === undefined) creates.push(judged.values)
    else if (isUnchanged(model, present.values, judged.values)) unchanged.push(present)
    else changes.push({ id: present.id, before: present.values, values: judged.values })
    // A hundred records of a hundred fields take long: other requests run between two.
    yield* Effect.yieldNow
  }
  yield* refuse(violations)
  /** In the order of the request. */
  const placed = (made: ReadonlyArray<StoredRecord>, changed: ReadonlyArray<StoredRecord>) => {
    const byKey = new Map(
      [...unchanged, ...made, ...changed].map((record) => [keyOf(record.values[key]), record])
    )
    return keys.flatMap((value) => (value === undefined ? [] : (byKey.get(value) ?? [])))
  }
  return { associations, creates, changes, placed }
})
