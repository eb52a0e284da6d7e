import { assert, describe, it } from "@effect/vitest"
import { soughtAs, soughtOf } from "./Sought.ts"

const startsOf = (query: string) => soughtOf(query).starts

describe("the beginnings of words that a database looks for", () => {
  it("cuts a word where its forms part: Ukrainian, Russian, English", () => {
    for (const [query, forms] of [
      ["рахунок", ["рахунки", "рахунків"]],
      ["коштів", ["кошти", "кошт"]],
      ["картці", ["картка", "картки"]],
      ["Возвраты", ["возврат", "возврата"]],
      ["refunds", ["refund", "refunded"]]
    ] as const) {
      const [start = "?"] = startsOf(query)
      for (const form of forms) assert.isTrue(form.startsWith(start), `${start} of ${form}`)
      assert.isAtLeast(start.length, 3)
    }
  })

  it("keeps apostrophes as one, ё and ґ as those who leave them out", () => {
    assert.deepStrictEqual(startsOf("пʼятниця")[0]?.slice(0, 3), "п'я")
    assert.deepStrictEqual(
      startsOf("ґанок ёлка"),
      ["ганк", "елк"].map((one) => one.slice(0, 3))
    )
  })

  it("names the forms of a word that no part is common to", () => {
    assert.sameMembers([...startsOf("bought")], ["buy", "bought"])
    assert.sameMembers([...startsOf("parcels went")], ["parcel", "go", "goes", "went", "gone"])
  })

  it("leaves out words that only ask, and is bounded", () => {
    assert.deepStrictEqual(startsOf("коли прийде посилка").length, 2)
    assert.isAtMost(startsOf(Array.from({ length: 90 }, (_, i) => `слово${i}`).join(" ")).length, 16)
  })
})

describe("soughtAs", () => {
  it("looks for the words that the search read instead, and analyses no query twice", () => {
    const sought = soughtOf("hf[eyjr доставка")
    assert.strictEqual(soughtAs(sought, []), sought)
    const read = soughtAs(sought, [{ word: "hf[eyjr", readAs: "рахунок", why: "layout" }])
    assert.deepStrictEqual(read, soughtOf("рахунок доставка"))
  })
})
