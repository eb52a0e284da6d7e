// Every cursor that a list gives out is one that it takes (contract §1.2).
import { assert, it } from "@effect/vitest"
import {
  CURSOR_CHARACTERS_MAX,
  LIST_ORDERS_MAX,
  NAME_POINTS_MAX,
  SHORT_TEXT_POINTS_MAX
} from "@rapport/contract/Limits.ts"
import { Cursors, type Position } from "@rapport/core/lists/Cursors.ts"
import { Effect, Option, Redacted } from "effect"
import * as fc from "fast-check"
import { layer } from "./CursorSeal.ts"

const cursors = Effect.runSync(Effect.provide(Cursors, layer([Redacted.make(new Uint8Array(32).fill(7))])))
const roundTrip = (position: Position) => {
  const cursor = cursors.seal("list", position)
  // A cursor is valid repeatedly, and only for its list.
  assert.strictEqual(cursors.seal("list", position), cursor)
  assert.notStrictEqual(cursors.seal("other", position), cursor)
  assert.isAtMost(cursor.length, CURSOR_CHARACTERS_MAX)
  assert.deepStrictEqual(cursors.open("list", cursor), Option.some(position))
  assert.deepStrictEqual(cursors.open("other", cursor), Option.none())
}

const points = (count: number, unit: fc.Arbitrary<string>) =>
  fc.array(unit, { minLength: count, maxLength: count }).map((letters) => letters.join(""))

it("a cursor of any values can be read again", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null)
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (values) => {
      // JSON has one zero.
      roundTrip(values.map((one) => (one === 0 ? 0 : one)))
    })
  )
})

it("a cursor with three texts of the largest size fits its limit in any alphabet", () => {
  const units = [
    fc.constant("😀"),
    fc.constant("\u0001"),
    fc.integer({ min: 0x10000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
    fc.integer({ min: 1, max: 31 }).map((point) => String.fromCodePoint(point)),
    fc.integer({ min: 0x400, max: 0xd7ff }).map((point) => String.fromCodePoint(point))
  ]
  // A user's displayName is both names and the space between them.
  const lengths = [2 * SHORT_TEXT_POINTS_MAX + 1, NAME_POINTS_MAX, NAME_POINTS_MAX].slice(0, LIST_ORDERS_MAX)
  for (const unit of units)
    fc.assert(
      fc.property(fc.tuple(...lengths.map((length) => points(length, unit))), (texts) =>
        roundTrip([...texts, Number.MAX_SAFE_INTEGER])
      ),
      { numRuns: 20 }
    )
})

it("a cursor that was changed anywhere is refused", () => {
  for (const position of [
    ["x".repeat(2_000), 1],
    ["x", 1]
  ]) {
    const cursor = cursors.seal("list", position)
    // A cursor is valid repeatedly, and only for its list.
    assert.strictEqual(cursors.seal("list", position), cursor)
    assert.notStrictEqual(cursors.seal("other", position), cursor)
    for (let i = 0; i < cursor.length; i += 5) {
      const other = cursor[i] === "A" ? "B" : "A"
      const changed = cursor.slice(0, i) + other + cursor.slice(i + 1)
      assert.deepStrictEqual(cursors.open("list", changed), Option.none())
    }
  }
})
