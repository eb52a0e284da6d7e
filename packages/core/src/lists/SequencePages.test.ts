// contract §12, "Pages": where a page ends by its bytes.
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pageWithin } from "./SequencePages.ts"

it("a page holds an unbroken range within its bytes, at least the requested record", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(sizes, fc.nat(), (bytes, place) => {
      const near = place % bytes.length
      const [from, to] = pageWithin(bytes, near, 100)
      assert.isTrue(from <= near && near < to && to <= bytes.length)
      const taken = bytes.slice(from, to).reduce((sum, one) => sum + one, 0)
      if (to - from > 1) assert.isAtMost(taken, 100)
      // Nothing more would have fitted behind.
      if (to < bytes.length) assert.isAbove(taken + (bytes[to] ?? 0), 100)
    })
  )
})
it("an empty list is an empty page", () => assert.deepStrictEqual(pageWithin([], 0), [0, 0]))
