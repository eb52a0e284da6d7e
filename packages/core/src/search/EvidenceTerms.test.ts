import { assert, describe, it } from "@effect/vitest"
import { termCounter, termsOf } from "./EvidenceTerms.ts"
import { stem } from "./Words.ts"

const matching = (query: string) => {
  const terms = termsOf(query)
  return terms.stems.slice(0, terms.matching)
}

describe("termsOf", () => {
  const cases: ReadonlyArray<readonly [query: string, words: string]> = [
    ["When did the refund arrive?", "refund arrive"],
    ["Коли прийде мій рахунок", "прийде рахунок"],
    ["Где мой возврат денег", "возврат денег"],
    ["what when", "what when"],
    ["the of", "the of"],
    ["what is the", "what is"],
    ["refund refunds Refunded", "refund"],
    ["?!", ""]
  ]
  for (const [query, words] of cases) {
    it(`looks for "${words}" when asked "${query}"`, () =>
      assert.deepStrictEqual(matching(query), words.split(" ").filter(Boolean).map(stem)))
  }
})

describe("termCounter", () => {
  it("counts the terms of a text, and how often they are spelled as in the query", () => {
    const terms = termsOf("refund for parcels")
    const counts = termCounter(terms)("refund refunds parcel nothing refund")
    assert.deepStrictEqual(
      [terms.stems, counts],
      [
        ["refund", "parcel", "for"],
        [0, 3, 2, 1, 1, 0]
      ]
    )
  })
})
