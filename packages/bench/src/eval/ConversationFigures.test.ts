import { assert, describe, it } from "@effect/vitest"
import type { Answered } from "./Asking.ts"
import { type AnsweredQuestion, conversationFigures } from "./ConversationFigures.ts"

const pack = (appealIds: ReadonlyArray<number>, more: Partial<Answered> = {}): Answered => ({
  appeals: appealIds.map((appealId) => ({ appealId, messageIds: [appealId * 10], texts: ["так"] })),
  millis: 10,
  bytes: 1_000,
  tokens: 400,
  facts: 3,
  isWhole: true,
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
  usual: first,
  snippetHit: hit,
  packs: [
    { form: "json", tokenBudget: 8_000, pack: first, hit },
    { form: "json", tokenBudget: 2_000, pack: quarter, hit: 0 },
    { form: "markdown", tokenBudget: 2_000, pack: half, hit }
  ],
  same: { json: first, markdown: { ...first, tokens: first.tokens / 4 } }
})

const five = pack([1, 2, 3, 4, 5])
const answered = [
  question("a", [1, 5], [five, pack([1, 2, 3, 4]), pack([1])]),
  question("b", [9], [five, five, pack([1, 2, 3, 4])], 0),
  question("b", [2], [pack([2, 3], { millis: 90 }), pack([2, 3]), pack([2])])
]

describe("the figures of conversations (docs/retrieval-figures.md)", () => {
  const { budgets, categories, forms, overall, partial } = conversationFigures(answered, 3)

  it("are means over questions, overall and by category", () => {
    assert.deepStrictEqual(Object.keys(categories), ["a", "b"])
    assert.strictEqual(overall.questions, 3)
    assert.closeTo(overall["R@1"], 2 / 3, 1e-9)
    assert.closeTo(overall["R@5"], 2 / 3, 1e-9)
    assert.closeTo(categories["b"]?.["any@8"] ?? 0, 1 / 2, 1e-9)
    assert.closeTo(overall["snippet hit"], 2 / 3, 1e-9)
  })

  it("measure times and sizes of the default request only", () =>
    assert.deepStrictEqual(overall.latencyMillis, { p50: 10, p95: 90 }))

  it("have a row for each budget in each form", () => {
    assert.deepStrictEqual(
      budgets.map(({ form, tokenBudget }) => `${form} ${tokenBudget}`),
      ["json 8000", "json 2000", "json 1000", "markdown 8000", "markdown 2000", "markdown 1000"]
    )
    assert.closeTo(budgets[0]?.["R@10"] ?? 0, 2 / 3, 1e-9)
    assert.closeTo(budgets[1]?.["R@10"] ?? 0, 1 / 2, 1e-9)
    assert.closeTo(budgets[4]?.["R@10"] ?? 0, 1 / 2, 1e-9)
    assert.closeTo(budgets[4]?.["snippet hit"] ?? 0, 2 / 3, 1e-9)
    assert.strictEqual(budgets[0]?.medianAppeals, 5)
  })

  it("compare the forms by tokens and lost facts, if both packs are complete", () => {
    assert.deepStrictEqual(forms, { packs: 3, tokensShare: 0.25, factsLost: 0 })
    const [one] = answered
    if (one === undefined) throw new Error("no question")
    const less = pack([1, 2, 3], { facts: 2 })
    const lost = conversationFigures([{ ...one, same: { json: five, markdown: less } }], 0)
    assert.strictEqual(lost.forms.factsLost, 2 + 1)
    const cut = conversationFigures(
      [{ ...one, same: { json: pack([1], { isWhole: false }), markdown: less } }],
      0
    )
    assert.strictEqual(cut.forms.packs, 0)
  })

  it("count answers that were partial for another reason than the budget", () => {
    assert.strictEqual(partial, 0)
    const late = question("a", [1], [pack([1], { reasons: ["index_lag"] }), five, five])
    assert.strictEqual(conversationFigures([late], 0).partial, 1)
  })

  it("are zeros without questions", () => {
    const { overall } = conversationFigures([], 0)
    assert.deepStrictEqual([overall.questions, overall["NDCG@10"], overall.bytes.p95], [0, 0, 0])
  })
})
