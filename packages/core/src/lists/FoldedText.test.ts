// `contains`, `startsWith` and `q` ignore case, the Unicode form and the kind of apostrophe (contract §1.2).
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { foldedText } from "./FoldedText.ts"

it.each([
  ["ЇЖАК", "i\u0308жак".replace("i", "і")],
  ["Café", "CAFE\u0301"],
  ["п'ять", "П\u2019ЯТЬ"],
  ["пʼять", "п`ять"],
  ["O´Neil", "o＇neil"],
  ["ΟΔΟΣ", "οδος"],
  ["ΟΔΟΣ", "οδοσ"],
  ["J\u030c", "\u01f0"],
  ["K", "\u212a"]
])("%j and %j are equal after folding", (one, other) => {
  assert.strictEqual(foldedText(one), foldedText(other))
})

it.each([
  ["й", "и"],
  ["ё", "е"],
  ["ґ", "г"],
  ["é", "e"],
  ["a'b", "ab"],
  ['a"b', "a'b"]
])("%j and %j differ after folding", (one, other) => {
  assert.notStrictEqual(foldedText(one), foldedText(other))
})

it("folding ignores form and case, and is idempotent", () => {
  const text = fc.string({
    unit: fc.constantFrom(..."aIİıΣςσΆἈЇїйЙё'’ʼ\u0301\u0307\u0308\u0345", " "),
    maxLength: 12
  })
  fc.assert(
    fc.property(text, (any) => {
      const folded = foldedText(any)
      assert.strictEqual(foldedText(any.normalize("NFD")), folded)
      assert.strictEqual(foldedText(any.toLowerCase()), folded)
      assert.strictEqual(foldedText(folded), folded)
    })
  )
})
