// Faults of a write are reported together, up to a bound (contract §1.1, §12).
import { assert, it } from "@effect/vitest"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { requireNoViolations, unknownAt } from "./Writes.ts"

const unknownIdsError = (count: number) => {
  const ids = Array.from({ length: count }, (_, n) => n + 1)
  return Effect.flip(requireNoViolations(unknownAt("memberIds", ids, ids)))
}

it.effect("at most the bound of unknown records is reported", () =>
  Effect.gen(function* () {
    const { detail, errors = [] } = yield* unknownIdsError(1_000)
    assert.lengthOf(errors, VIOLATIONS_MAX)
    assert.strictEqual(errors.at(-1)?.path, `memberIds[${VIOLATIONS_MAX - 1}]`)
    assert.match(detail, /^memberIds\[0\] names no record.*; and 97 more$/u)
  })
)
