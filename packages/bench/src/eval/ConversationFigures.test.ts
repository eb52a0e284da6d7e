import { assert, describe, it } from "@effect/vitest"
import type { Answered } from "./Asking.ts"
import { type AnsweredQuestion, conversationFigures } from "./ConversationFigures.ts"

const pack = (appealIds: ReadonlyArray<number>, more: Partial<Answered> = {}): Answered => ({
  appeals: appealIds.map((appealId) => ({ appealId, messageIds: [appealId * 10] })),
  millis: 10,
  bytes: 1_000,
  tokens: 400,
  reasons: [],
  ...more
})
const question = (
  category: string,
  gold: ReadonlyArray<number>,
  [first, half, quarter]: readonly [Answered, Answered, Answered],
  hit = 1
): AnsweredQuestion => ({
  category,
  gold: new Set(gold),
  ranking: first,
  packs: [first, half, quarter],
  snippetHit: hit
})

const five = pack([1, 2, 3, 4, 5])
const answered = [
  question("a", [1, 5], [five, pack([1, 2, 3, 4]), pack([1])]),
  question("b", [9], [five, five, pack([1, 2, 3, 4])], 0),
  question("b", [2], [pack([2, 3], { millis: 90 }), pack([2, 3]), pack([2])])
]

describe("the figures of conversations (docs/retrieval.md, Figures)", () => {
  const { budgets, categories, overall, partial } = conversationFigures(answered, 3)

  it("are means over questions, overall and by category", () => {
    assert.deepStrictEqual(Object.keys(categories), ["a", "b"])
    assert.strictEqual(overall.questions, 3)
    assert.closeTo(overall["R@1"], 2 / 3, 1e-9)
    assert.closeTo(overall["R@5"], 2 / 3, 1e-9)
    assert.closeTo(categories["b"]?.["any@8"] ?? 0, 1 / 2, 1e-9)
    assert.closeTo(overall["snippet hit"], 2 / 3, 1e-9)
  })

  it("measure times and sizes of the default request alone", () =>
    assert.deepStrictEqual(overall.latencyMillis, { p50: 10, p95: 90 }))

  it("tell what stands at each budget", () => {
    assert.deepStrictEqual(
      budgets.map(({ tokenBudget }) => tokenBudget),
      [8_000, 4_000, 2_000]
    )
    assert.closeTo(budgets[0]?.recall ?? 0, 2 / 3, 1e-9)
    assert.closeTo(budgets[1]?.recall ?? 0, 1 / 2, 1e-9)
    assert.closeTo(budgets[2]?.recall ?? 0, 1 / 2, 1e-9)
  })

  it("count as too few only where more were found", () => {
    assert.deepStrictEqual(
      budgets.map(({ belowFour }) => belowFour),
      [0, 0, 1]
    )
    assert.deepStrictEqual(
      budgets.map(({ leastAppeals }) => leastAppeals),
      [5, 4, 1]
    )
  })

  it("count answers that were partial for another reason than the budget", () => {
    assert.strictEqual(partial, 0)
    const late = question("a", [1], [pack([1], { reasons: ["index_lag"] }), five, five])
    assert.strictEqual(conversationFigures([late], 0).partial, 1)
  })

  it("are zeros of no questions", () => {
    const { overall } = conversationFigures([], 0)
    assert.deepStrictEqual([overall.questions, overall["NDCG@10"], overall.bytes.p95], [0, 0, 0])
  })
})
