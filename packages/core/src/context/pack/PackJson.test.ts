// A pack that is written once is at every moment what is written of the same data then, to the byte.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { createHash } from "node:crypto"
import { type DraftSeed, draftFrom } from "../../testing/PackFixtures.ts"
import { fit, fitting } from "./PackBudget.ts"
import type { PackDraft } from "./PackDraft.ts"
import { type Moment, USED_MILLIS_MOST } from "./PackForm.ts"
import { jsonForm } from "./PackJson.ts"
import { markdownForm } from "./PackMarkdown.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const texts = FastCheck.constantFrom("Заказ 10442", 'Замовлення "ї"', "order 10444", "", "x".repeat(600))
const objects = FastCheck.dictionary(texts, FastCheck.oneof(texts, FastCheck.integer()), { maxKeys: 4 })
const seeds: FastCheck.Arbitrary<DraftSeed> = FastCheck.record({
  namespaces: FastCheck.option(
    FastCheck.array(FastCheck.record({ name: FastCheck.constantFrom("crm", "billing"), state: objects }), {
      maxLength: 2
    })
  ),
  actions: FastCheck.option(
    FastCheck.array(FastCheck.record({ summary: FastCheck.option(texts), payload: objects }), {
      maxLength: 12
    })
  ),
  properties: FastCheck.option(
    FastCheck.array(FastCheck.record({ name: FastCheck.constantFrom("name", "tier"), value: texts }), {
      maxLength: 2
    })
  ),
  appeals: FastCheck.option(
    FastCheck.array(
      FastCheck.array(FastCheck.record({ text: texts, score: FastCheck.constantFrom(0.5, null) }), {
        minLength: 1,
        maxLength: 2
      }),
      { maxLength: 3 }
    )
  ),
  conversations: FastCheck.constant([]),
  interactions: FastCheck.array(texts, { maxLength: 2 }),
  memories: FastCheck.constant([])
})
const times = FastCheck.integer({ min: 0, max: 4e12 }).map((millis) => new Date(millis).toISOString())
const moments: FastCheck.Arbitrary<Moment> = FastCheck.record({
  // As long as each other: what is longer takes more of the budget.
  requestId: FastCheck.stringMatching(/^[0-9a-zA-Z_-]{12}$/u),
  generatedAt: times,
  databaseAt: times,
  usedMillis: FastCheck.integer({ min: 0, max: USED_MILLIS_MOST })
})
const at = (draft: PackDraft, { databaseAt, generatedAt, requestId, usedMillis }: Moment): PackDraft => ({
  ...draft,
  requestId,
  generatedAt,
  coverage: { ...draft.coverage, asOf: { ...draft.coverage.asOf, database: databaseAt } },
  timeMs: { ...draft.timeMs, used: usedMillis }
})
const written = (...given: Parameters<typeof fitting>) => {
  const run = fitting(...given)
  for (;;) {
    const { done, value } = run.next()
    if (done === true) return Result.map(value, (cut) => given[1].written(cut))
  }
}

describe("a pack that is written once", () => {
  it.each(["json", "markdown"] as const)("is at each moment what is written then: %s", (format) => {
    let answers = 0
    FastCheck.assert(
      FastCheck.property(
        seeds,
        moments,
        moments,
        FastCheck.integer({ min: 64, max: 8_000 }),
        FastCheck.constantFrom(2_048, 65_536),
        (seed, first, second, tokenBudget, maxResponseBytes) => {
          const budget = { tokenBudget, maxResponseBytes, allowPartial: tokenBudget % 2 === 0 }
          const form = () => (format === "json" ? jsonForm(budget, sha256) : markdownForm(sha256))
          const draft = () => draftFrom(seed, sha256)
          const before = written(at(draft(), first), form(), budget, sha256)
          const now = fit(at(draft(), second), form(), budget, sha256)
          assert.strictEqual(Result.isSuccess(before), Result.isSuccess(now))
          if (Result.isFailure(before) || Result.isFailure(now)) return
          assert.deepStrictEqual(before.success.at(second), now.success)
          answers++
        }
      ),
      { numRuns: 300 }
    )
    assert.isAtLeast(answers, 100)
  })
})
