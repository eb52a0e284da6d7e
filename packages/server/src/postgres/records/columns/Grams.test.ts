// A group of texts is left out only where none of them contains the word.
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { gramsOf, groupSize, groupsWith, hashesOf } from "./Grams.ts"

const letters = fc.constantFrom(..."абїґёьq7 .-", "😀", "é")
const text = (maxLength: number) => fc.string({ unit: letters, maxLength })

/** As a block holds texts. */
const joinedOf = (texts: ReadonlyArray<string>) => {
  const starts = new Int32Array(texts.length + 1)
  let at = 1
  for (const [i, one] of texts.entries()) {
    starts[i] = at
    at += one.length + 1
  }
  starts[texts.length] = at
  return gramsOf(`\u0000${texts.map((one) => `${one}\u0000`).join("")}`, starts)
}
const isIn = (groups: number, texts: ReadonlyArray<string>, i: number) =>
  (groups & (1 << Math.floor(i / groupSize(texts.length)))) !== 0

describe("letters of texts", () => {
  it("leave no group out that has the word, or a text that begins with it", () => {
    fc.assert(
      fc.property(fc.array(text(12), { minLength: 1, maxLength: 60 }), text(5), (texts, word) => {
        const grams = joinedOf(texts)
        const groups = groupsWith(grams, hashesOf(word))
        const beginning = groupsWith(grams, hashesOf(`\u0000${word}`))
        for (const [i, one] of texts.entries()) {
          if (one.includes(word)) assert.isTrue(isIn(groups, texts, i), word)
          if (one.startsWith(word)) assert.isTrue(isIn(beginning, texts, i), word)
        }
      })
    )
  })

  it("leave most groups out that have not, of words of every length", () => {
    const texts = Array.from({ length: 512 }, (_, n) => `замовлення ${n} доставка рахунок invoice parcel`)
    texts[100] = "рідкісний щ"
    const grams = joinedOf(texts)
    for (const word of ["щ", "ідк", "рід", "рідкісний", "\u0000рід"]) {
      const groups = groupsWith(grams, hashesOf(word))
      assert.isTrue(isIn(groups, texts, 100))
      assert.isAtMost(groups.toString(2).replaceAll("0", "").length, 4, word)
    }
    assert.strictEqual(groupsWith(grams, hashesOf("")), 65_535)
    assert.strictEqual(groupsWith(grams, hashesOf("parcel")), 65_535)
  })
})
