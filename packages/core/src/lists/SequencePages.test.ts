// A page of records ends by its bytes (contract §12, "Pages").
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pageWithin } from "./SequencePages.ts"

it("a page is a contiguous range within its bytes, and has at least the requested record", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(sizes, fc.nat(), (bytes, place) => {
      const near = place % bytes.length
      const [from, to] = pageWithin(bytes, near, 100)
      assert.isTrue(from <= near && near < to && to <= bytes.length)
      const used = bytes.slice(from, to).reduce((sum, one) => sum + one, 0)
      if (to - from > 1) assert.isAtMost(used, 100)
      // The next record would not have fitted.
      if (to < bytes.length) assert.isAbove(used + (bytes[to] ?? 0), 100)
    })
  )
})
it("an empty list is an empty page", () => assert.deepStrictEqual(pageWithin([], 0), [0, 0]))
