// A value must have the type of its definition (contract §9, "Properties").
import { assert, it } from "@effect/vitest"
import { valueViolations } from "./PropertyValue.ts"

const of = (type: "string" | "number" | "boolean" | "date" | "enum") => ({
  name: "p",
  type,
  options: ["а", "б"]
})

it.each([
  ["string", "x", true],
  ["string", "", false],
  ["string", "x".repeat(10_001), false],
  ["string", 1, false],
  ["number", 1.5, true],
  ["number", "1", false],
  ["boolean", false, true],
  ["boolean", 0, false],
  ["date", "2028-02-29", true],
  ["date", "2026-02-29", false],
  ["date", "2026-1-1", false],
  ["date", "2026-01-01T00:00:00Z", false],
  ["enum", "б", true],
  ["enum", "в", false],
  ["enum", ["а"], false]
] as const)("whether a property of type %s accepts %j: %s", (type, value, fits) => {
  const found = valueViolations([of(type)], { p: value })
  assert.deepStrictEqual(
    found.map(({ path }) => path),
    fits ? [] : ["values.p"]
  )
})
it("null removes a property value, and a name without definition is reported", () => {
  assert.deepStrictEqual(valueViolations([of("number")], { p: null }), [])
  assert.deepStrictEqual(valueViolations([], { p: 1 }), [{ path: "values.p", message: "is not defined" }])
})
