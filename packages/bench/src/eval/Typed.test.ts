import { assert, describe, it } from "@effect/vitest"
import { typingsOf } from "./Typed.ts"

const typeQuestion = (language: string, name: string, question: string, time = 0) =>
  typingsOf(language)
    .find((one) => one.name === name)
    ?.typed(question, time)

describe("typingsOf", () => {
  it("types a question with other layouts, look-alikes and transliteration", () => {
    assert.strictEqual(typeQuestion("uk", "in the English layout", "Де їжак"), "lt ];fr")
    assert.strictEqual(typeQuestion("ru", "in the English layout", "объём"), "j,]`v")
    assert.strictEqual(typeQuestion("uk", "with look-alikes", "послуга"), "пocлyгa")
    assert.strictEqual(typeQuestion("uk", "with soft hyphens", "послуга та її"), "пос\u00ADлуга та її")
    assert.strictEqual(typeQuestion("uk", "in Latin letters", "Повернення щастя"), "povernennya shchastya")
    assert.strictEqual(typeQuestion("ru", "in Latin letters", "объявить где"), "obyavit gde")
    assert.deepStrictEqual(typingsOf("en"), [])
  })

  it("changes one letter of one word, reproducibly", () => {
    const question = "Коли приїде кур'єр із посилкою"
    const typos = Array.from(
      { length: 40 },
      (_, time) => typeQuestion("uk", "with one typo", question, time) ?? ""
    )
    assert.deepStrictEqual(
      typos,
      Array.from({ length: 40 }, (_, time) => typeQuestion("uk", "with one typo", question, time))
    )
    assert.isAbove(new Set(typos).size, 10)
    for (const typo of typos) {
      assert.isAtMost(Math.abs(typo.length - question.length), 1)
      const parts = typo.split(" ")
      assert.isAtLeast(parts.filter((word, at) => word === question.split(" ")[at]).length, parts.length - 1)
    }
  })
})
