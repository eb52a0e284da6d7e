// Characters are Unicode code points, by contract §1 "Strictness".
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import { pointsOf, textOf } from "./Checks.ts"

const three = textOf(1, 3)
const take = (text: string) => Option.isSome(Schema.decodeUnknownOption(three)(text))

describe("contract §1: characters are Unicode code points", () => {
  it.each([
    ["", 0],
    ["пошта", 5],
    ["a😀b", 3],
    ["😀😀", 2],
    ["\u{10ffff}", 1]
  ])("%j has %d", (text, points) => assert.strictEqual(pointsOf(text), points))

  it("bounds count code points, not UTF-16 units", () => {
    assert.isTrue(take("😀😀😀"))
    assert.isFalse(take("😀😀😀😀"))
    assert.isFalse(take("abcd"))
    assert.isFalse(take(""))
  })

  it("bounds are those of the count, wherever the length alone decides", () => {
    const unit = fc.constantFrom("a", "ї", "😀")
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), fc.nat(6), fc.nat(6), (units, minimum, more) => {
        const text = units.join("")
        const taken = Option.isSome(Schema.decodeUnknownOption(textOf(minimum, minimum + more))(text))
        assert.strictEqual(taken, units.length >= minimum && units.length <= minimum + more)
      })
    )
  })
})
