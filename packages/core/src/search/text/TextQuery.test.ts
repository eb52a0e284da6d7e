import { assert, describe, it } from "@effect/vitest"
import { correctedQuery, textQueryOf } from "./TextQuery.ts"

const startsOf = (query: string) => textQueryOf(query).starts

describe("the beginnings of words for a search in the database", () => {
  it("are common to the forms of a word in Ukrainian, Russian and English", () => {
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

  it("unify apostrophes, and omit ё and ґ", () => {
    assert.deepStrictEqual(startsOf("пʼятниця")[0]?.slice(0, 3), "п'я")
    assert.deepStrictEqual(
      startsOf("ґанок ёлка"),
      ["ганк", "елк"].map((one) => one.slice(0, 3))
    )
  })

  it("list the forms of a word that have no common beginning", () => {
    assert.sameMembers([...startsOf("bought")], ["buy", "bought"])
    assert.sameMembers([...startsOf("parcels went")], ["parcel", "go", "goes", "went", "gone"])
  })

  it("omit question words, and are at most 16", () => {
    assert.deepStrictEqual(startsOf("коли прийде посилка").length, 2)
    assert.isAtMost(startsOf(Array.from({ length: 90 }, (_, i) => `слово${i}`).join(" ")).length, 16)
  })
})

describe("correctedQuery", () => {
  it("replaces corrected words, and returns the same object without corrections", () => {
    const textQuery = textQueryOf("hf[eyjr доставка")
    assert.strictEqual(correctedQuery(textQuery, []), textQuery)
    const read = correctedQuery(textQuery, [{ word: "hf[eyjr", readAs: "рахунок", why: "layout" }])
    assert.deepStrictEqual(read, textQueryOf("рахунок доставка"))
  })
})
