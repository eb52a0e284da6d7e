import { assert, describe, it } from "@effect/vitest"
import { wordStarts } from "./WordStarts.ts"

describe("wordStarts", () => {
  it("cuts a word where its forms part: Ukrainian, Russian, English", () => {
    for (const [query, forms] of [
      ["рахунок", ["рахунки", "рахунків"]],
      ["коштів", ["кошти", "кошт"]],
      ["картці", ["картка", "картки"]],
      ["Возвраты", ["возврат", "возврата"]],
      ["refunds", ["refund", "refunded"]]
    ] as const) {
      const [start = "?"] = wordStarts(query)
      for (const form of forms) assert.isTrue(form.startsWith(start), `${start} of ${form}`)
      assert.isAtLeast(start.length, 3)
    }
  })

  it("keeps apostrophes as one, ё and ґ as those who leave them out", () => {
    assert.deepStrictEqual(wordStarts("пʼятниця")[0]?.slice(0, 3), "п'я")
    assert.deepStrictEqual(
      wordStarts("ґанок ёлка"),
      ["ганк", "елк"].map((one) => one.slice(0, 3))
    )
  })

  it("names the forms of a word that no part is common to", () => {
    assert.sameMembers([...wordStarts("bought")], ["buy", "bought"])
    assert.sameMembers([...wordStarts("parcels went")], ["parcel", "go", "goes", "went", "gone"])
  })

  it("leaves out words that only ask, and is bounded", () => {
    assert.deepStrictEqual(wordStarts("коли прийде посилка").length, 2)
    assert.isAtMost(wordStarts(Array.from({ length: 90 }, (_, i) => `слово${i}`).join(" ")).length, 16)
  })
})
