import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { utf8 } from "./Utf8.ts"

it("the bytes of a text are those of Buffer.from", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.string({ unit: "grapheme" }))
  fc.assert(fc.property(text, (given) => assert.isTrue(utf8(given).equals(Buffer.from(given)))))
})

it.each([
  ["nothing", ""],
  ["ASCII", "abc"],
  ["three languages", "їжак ґанок, ёж, hedgehog 🦔"],
  ["a lone surrogate", "a\ud800b"],
  ["a text that is too long for the scratch", "Їжак".repeat(40_000)]
])("the UTF-8 length of a text is exact: %s", (_, text) => {
  assert.isTrue(utf8(text).equals(Buffer.from(text)))
  // A second call does not overwrite the bytes of the first.
  const first = utf8(text)
  utf8("x".repeat(1_000))
  assert.isTrue(first.equals(Buffer.from(text)))
})
