// Characters are Unicode code points (contract §1 "Strictness").
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import { pointsOf, textOf } from "./Checks.ts"

const three = textOf(1, 3)
const isAccepted = (text: string) => Option.isSome(Schema.decodeUnknownOption(three)(text))

describe("the length of a text", () => {
  it.each([
    ["", 0],
    ["пошта", 5],
    ["a😀b", 3],
    ["😀😀", 2],
    ["\u{10ffff}", 1]
  ])("%j has %d characters", (text, points) => assert.strictEqual(pointsOf(text), points))

  it("bounds count code points, not UTF-16 units", () => {
    assert.isTrue(isAccepted("😀😀😀"))
    assert.isFalse(isAccepted("😀😀😀😀"))
    assert.isFalse(isAccepted("abcd"))
    assert.isFalse(isAccepted(""))
  })

  it("bounds decide by code points for every text", () => {
    const unit = fc.constantFrom("a", "ї", "😀")
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), fc.nat(6), fc.nat(6), (units, minimum, more) => {
        const text = units.join("")
        const accepted = Option.isSome(Schema.decodeUnknownOption(textOf(minimum, minimum + more))(text))
        assert.strictEqual(accepted, units.length >= minimum && units.length <= minimum + more)
      })
    )
  })
})
