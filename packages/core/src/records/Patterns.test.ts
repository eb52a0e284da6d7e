// The patterns of custom data yield to other requests (contract §12, "Work of one request").
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { withTurns } from "../testing/EventLoop.ts"
import { makePatternMatcher, patternFaults } from "./Patterns.ts"
import type { StoredField, StoredModel } from "./RecordStore.ts"
import { upsertPlan } from "./RecordUpsert.ts"
import { checkValues } from "./RecordValues.ts"

const TEXTS = 20
const LONG_TEXT = "ab".repeat(5_000)
const SLOW_PATTERN = "(?:[ab]?){140}[0-9]"

const field = (id: number): StoredField => ({
  id,
  name: `f${id}`,
  type: "TEXT",
  required: false,
  unique: id === 1,
  rules: { pattern: SLOW_PATTERN },
  target: null
})
const model: StoredModel = {
  id: 1,
  name: "slow",
  label: null,
  version: 1,
  fields: Array.from({ length: TEXTS }, (_, n) => field(n + 1))
}

it("matching the long texts of a record yields to other requests", async () => {
  const given = Object.fromEntries(model.fields.map(({ name }) => [name, LONG_TEXT]))
  const { checked, made } = await withTurns((turns) =>
    Effect.map(checkValues(model, given, {}, "values", makePatternMatcher()), (checked) => ({
      checked,
      made: turns()
    }))
  )
  assert.deepStrictEqual(
    checked.violations.map(({ path }) => path),
    model.fields.map(({ name }) => `values.${name}`)
  )
  assert.isAtLeast(made, TEXTS - 1)
})

it("matching the keys of an upsert yields to other requests", async () => {
  const records = Array.from({ length: TEXTS }, (_, n) => ({
    values: { f1: `${LONG_TEXT.slice(2)}${String(n).padStart(2, "0")}` }
  }))
  let made = 0
  await withTurns((turns) =>
    Effect.exit(
      upsertPlan(model, { keyField: "f1", records }, () =>
        Effect.sync(() => {
          made = turns()
          return []
        })
      )
    )
  )
  assert.isAtLeast(made, TEXTS - 1)
})

it("compiling the patterns of a model yields to other requests", async () => {
  const patterns = Array.from({ length: TEXTS }, () => "a{1000}".repeat(28))
  const { faults, made } = await withTurns((turns) =>
    Effect.map(patternFaults([...patterns, undefined, "[a-z]", "("]), (faults) => ({
      faults,
      made: turns()
    }))
  )
  assert.deepStrictEqual(faults, [
    ...patterns.map(() => "is too large: repeat less of it"),
    undefined,
    undefined,
    "must be a regular expression of RE2: no look-around, no back-references"
  ])
  assert.isAtLeast(made, TEXTS)
})
