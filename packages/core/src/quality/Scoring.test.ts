// The score of an assessment, and its steps (contract §9.4).
import { assert, it } from "@effect/vitest"
import { assessmentStatuses, type Result, results } from "@rapport/contract/quality/Assessment.ts"
import * as fc from "fast-check"
import { type ScoredCriterion, scoreOf, statusAfter, steps } from "./Scoring.ts"

const criterion = (
  weight: number,
  automatic: Result | null,
  more: Partial<ScoredCriterion> = {}
): ScoredCriterion => ({
  weight,
  critical: false,
  penalty: 0,
  automatic,
  human: null,
  ...more
})

it.each<readonly [string, ReadonlyArray<ScoredCriterion>, number | null]>([
  ["is null without criteria", [], null],
  ["is null while no criterion has a result", [criterion(10, null)], null],
  ["is null if no criterion is applicable", [criterion(10, "not_applicable")], null],
  ["is 100 if every criterion is met", [criterion(1, "met"), criterion(99, "met")], 100],
  ["is the weight of the criteria that are met", [criterion(30, "met"), criterion(10, "violated")], 75],
  ["ignores a criterion that is not applicable", [criterion(1, "met"), criterion(50, "not_applicable")], 100],
  ["has two decimals", [criterion(1, "met"), criterion(2, "violated")], 33.33],
  ["rounds a half up", [criterion(1, "met"), criterion(7, "violated")], 12.5],
  ["rounds to two decimals", [criterion(2, "met"), criterion(1, "violated")], 66.67],
  [
    "loses the penalties of violated criteria only",
    [criterion(3, "met", { penalty: 50 }), criterion(1, "violated", { penalty: 5 })],
    70
  ],
  ["is never below 0", [criterion(1, "met"), criterion(9, "violated", { penalty: 40 })], 0],
  [
    "is 0 if a critical criterion with a penalty is violated",
    [criterion(100, "met"), criterion(1, "violated", { critical: true, penalty: 1 })],
    0
  ],
  [
    "weighs a critical criterion without penalty like the others",
    [criterion(3, "met"), criterion(1, "violated", { critical: true })],
    75
  ],
  ["is 100 if a critical criterion is met", [criterion(1, "met", { critical: true, penalty: 100 })], 100],
  [
    "uses the human result instead of the automatic result",
    [criterion(1, "violated", { human: "met" }), criterion(1, "met", { human: "not_applicable" })],
    100
  ]
])("the score of an assessment %s", (_, criteria, score) => assert.strictEqual(scoreOf(criteria), score))

it("the score of an assessment is between 0 and 100, with two decimals", () => {
  const scored = fc.record({
    weight: fc.integer({ min: 1, max: 100 }),
    critical: fc.boolean(),
    penalty: fc.integer({ min: 0, max: 100 }),
    automatic: fc.constantFrom(...results, null),
    human: fc.constantFrom(...results, null)
  })
  fc.assert(
    fc.property(fc.array(scored, { maxLength: 12 }), (criteria) => {
      const score = scoreOf(criteria)
      if (score === null) {
        assert.isTrue(
          criteria.every(({ automatic, human }) => ["not_applicable", null].includes(human ?? automatic))
        )
      } else {
        assert.isTrue(score >= 0 && score <= 100)
        assert.strictEqual(Number(score.toFixed(2)), score)
      }
    })
  )
})

const allowed: Readonly<Record<string, string>> = {
  "draft approve": "approved",
  "approved dispute": "disputed",
  "disputed resolve": "resolved",
  "approved reopen": "draft",
  "resolved reopen": "draft",
  "draft void": "void",
  "approved void": "void",
  "disputed void": "void",
  "resolved void": "void"
}
it.each(assessmentStatuses.flatMap((status) => steps.map((step) => [status, step] as const)))(
  "an assessment in status %s allows or refuses %s as in the contract",
  (status, step) => assert.strictEqual(statusAfter(status, step), allowed[`${status} ${step}`])
)
