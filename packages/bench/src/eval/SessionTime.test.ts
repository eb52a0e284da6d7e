import { assert, describe, it } from "@effect/vitest"
import { sessionMillisOf } from "./SessionTime.ts"

const iso = (text: string) => {
  const millis = sessionMillisOf(text)
  return millis === undefined ? undefined : new Date(millis).toISOString()
}

describe("sessionMillisOf (docs/retrieval-figures.md)", () => {
  it.each([
    ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
    ["12:05 am on 31 December, 2022", "2022-12-31T00:05:00.000Z"],
    ["12:05 PM on 1 Sept 2022", "2022-09-01T12:05:00.000Z"],
    ["2025-03-01T09:00:00+02:00", "2025-03-01T07:00:00.000Z"],
    ["2025-03-01T09:00:00.5Z", "2025-03-01T09:00:00.500Z"],
    ["2025-03-01 09:00:00Z", "2025-03-01T09:00:00.000Z"],
    ["2025-03-01T09:00:00", "2025-03-01T09:00:00.000Z"],
    ["2025-03-01 09:00", "2025-03-01T09:00:00.000Z"],
    ["2025-03-01", "2025-03-01T00:00:00.000Z"]
  ])("parses %s", (text, expected) => assert.strictEqual(iso(text), expected))

  it.each([
    "",
    "yesterday",
    "13:56 pm on 8 May, 2023",
    "1:56 pm on 31 June, 2023",
    "1:56 pm on 8 Foo, 2023",
    "2025-02-30"
  ])("is undefined for %j", (text) => assert.strictEqual(sessionMillisOf(text), undefined))
})
