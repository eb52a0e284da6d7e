// Packs of the same data are equal whenever and however fast they were read (contract §3.2, "Determinism").
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { createHash } from "node:crypto"
import { draftFrom, fit } from "../../testing/PackFixtures.ts"
import { seeds } from "../../testing/PackSeeds.ts"
import type { PackDraft } from "./PackDraft.ts"
import { USED_MILLIS_MOST } from "./PackForm.ts"
import { jsonForm } from "./PackJson.ts"
import { markdownForm } from "./PackMarkdown.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const times = FastCheck.integer({ min: 0, max: 4e12 }).map((millis) => new Date(millis).toISOString())
interface Reading {
  readonly requestId: string
  readonly generatedAt: string
  readonly databaseAt: string
  readonly usedMillis: number
}
const readings: FastCheck.Arbitrary<Reading> = FastCheck.record({
  // Of equal length, because a longer id takes more of the budget.
  requestId: FastCheck.stringMatching(/^[0-9a-zA-Z_-]{12}$/u),
  generatedAt: times,
  databaseAt: times,
  usedMillis: FastCheck.integer({ min: 0, max: USED_MILLIS_MOST })
})
const at = (draft: PackDraft, { databaseAt, generatedAt, requestId, usedMillis }: Reading): PackDraft => ({
  ...draft,
  requestId,
  generatedAt,
  coverage: { ...draft.coverage, asOf: { ...draft.coverage.asOf, database: databaseAt } },
  timeMs: { ...draft.timeMs, used: usedMillis }
})
describe("a pack of the same data", () => {
  it.each(["json", "markdown"] as const)("is equal in each read: %s", (format) => {
    let answers = 0
    FastCheck.assert(
      FastCheck.property(
        seeds,
        readings,
        readings,
        FastCheck.integer({ min: 64, max: 8_000 }),
        FastCheck.constantFrom(2_048, 65_536),
        (seed, first, second, tokenBudget, maxResponseBytes) => {
          const budget = { tokenBudget, maxResponseBytes, allowPartial: tokenBudget % 2 === 0 }
          const form = () => (format === "json" ? jsonForm(budget, sha256) : markdownForm(sha256))
          const [before, now] = [first, second].map((reading) =>
            fit(at(draftFrom(seed, sha256), reading), form(), budget, sha256)
          )
          if (before === undefined || now === undefined) throw new Error("two answers")
          assert.strictEqual(Result.isSuccess(before), Result.isSuccess(now))
          if (Result.isFailure(before) || Result.isFailure(now)) return
          assert.strictEqual(before.success.packHash, now.success.packHash)
          if (format === "markdown") assert.strictEqual(before.success.text, now.success.text)
          else assertSame(now.success.text, before.success.text, second)
          answers++
        }
      ),
      { numRuns: 300 }
    )
    assert.isAtLeast(answers, 100)
  })
})

/** Apart from the members that differ between reads. */
const assertSame = (
  now: string,
  before: string,
  { databaseAt, generatedAt, requestId, usedMillis }: Reading
) => {
  const [pack, earlier] = [JSON.parse(now), JSON.parse(before)]
  assert.deepInclude(pack, { requestId, generatedAt })
  assert.strictEqual(pack.budget.timeMs.used, usedMillis)
  assert.strictEqual(pack.coverage.asOf.database, databaseAt)
  assert.strictEqual(pack.budget.bytes.used, new TextEncoder().encode(now).length)
  for (const member of ["scope", "sections", "citations"])
    assert.deepStrictEqual(pack[member], earlier[member])
  assert.deepStrictEqual(pack.coverage.details, earlier.coverage.details)
}
