import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { utf8 } from "./Utf8.ts"

describe("texts as UTF-8", () => {
  it("are the bytes that any encoder makes of them", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.string({ unit: "grapheme" }))
    fc.assert(fc.property(text, (given) => assert.isTrue(utf8(given).equals(Buffer.from(given)))))
  })

  it.each([
    ["nothing", ""],
    ["ASCII", "abc"],
    ["three languages", "їжак ґанок, ёж, hedgehog 🦔"],
    ["a lone surrogate", "a\ud800b"],
    ["a text that is too long for the scratch", "Їжак".repeat(40_000)]
  ])("%s", (_, text) => {
    assert.isTrue(utf8(text).equals(Buffer.from(text)))
    // A second text leaves the first as it was.
    const first = utf8(text)
    utf8("x".repeat(1_000))
    assert.isTrue(first.equals(Buffer.from(text)))
  })
})
