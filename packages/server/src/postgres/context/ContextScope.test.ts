import { assert, it } from "@effect/vitest"
import { wireTime } from "./ContextScope.ts"

it.each([
  ["2026-10-05T10:00:00+00:00", "2026-10-05T10:00:00.000Z"],
  ["2026-10-05T10:00:00.5+00:00", "2026-10-05T10:00:00.500Z"],
  ["2026-10-05T10:00:00.05+00:00", "2026-10-05T10:00:00.050Z"],
  ["2026-10-05T10:00:00.123+00:00", "2026-10-05T10:00:00.123Z"],
  ["2026-10-05T10:00:00.123999+00:00", "2026-10-05T10:00:00.123Z"],
  ["2026-10-05T12:00:00.5+02:00", "2026-10-05T10:00:00.500Z"]
])("times go out in UTC with milliseconds and Z (docs/contract.md §1): %s", (stored, shown) => {
  assert.strictEqual(wireTime(stored), shown)
})
