// Characters are Unicode code points (contract §1 "Strictness").
import { assert, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import { textOf } from "./Checks.ts"

it("the length of a text is bounded in code points", () => {
  const unit = fc.constantFrom("a", "ї", "😀")
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), fc.nat(6), fc.nat(6), (units, minimum, more) => {
      const text = units.join("")
      const accepted = Option.isSome(Schema.decodeUnknownOption(textOf(minimum, minimum + more))(text))
      assert.strictEqual(accepted, units.length >= minimum && units.length <= minimum + more)
    })
  )
})
