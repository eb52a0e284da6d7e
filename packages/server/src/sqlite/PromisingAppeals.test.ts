// The order of appeals by their rows, against one that is written down plainly.
import { OPENING_WEIGHT, WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { positionOf, refOf, rowAt } from "./EvidenceRows.ts"
import { promisingOf } from "./PromisingAppeals.ts"

/** Of two words and their families. */
const weights = [4, 2, 1, 0.5]
const weigh = (bits: ReadonlySet<number>): number =>
  [0, 2].reduce(
    (sum, at) => sum + (bits.has(at) ? (weights[at] ?? 0) : bits.has(at + 1) ? (weights[at + 1] ?? 0) : 0),
    0
  )

const row = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 3 }))
  .map(([ref, at]) => rowAt(ref, at))
const list = fc.record({ rows: fc.uniqueArray(row, { maxLength: 12 }), bit: fc.integer({ min: 0, max: 3 }) })

it("appeals come by their best text, their opening and all that they hold, equal ones the newest first", () => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 6 }), (lists) => {
      const held = new Map<number, Set<number>>()
      for (const { bit, rows } of lists)
        for (const one of rows) held.set(one, (held.get(one) ?? new Set()).add(bit))
      const weightAt = (one: number): number => weigh(held.get(one) ?? new Set())
      const appeals = [...new Set([...held.keys()].map(refOf))].map((ref) => {
        const rows = [...held.keys()]
          .filter((one) => refOf(one) === ref)
          .toSorted((a, b) => weightAt(b) - weightAt(a) || a - b)
        const first = rows.find((one) => positionOf(one) === 0)
        const all = new Set(rows.flatMap((one) => [...(held.get(one) ?? [])]))
        const opening = first === undefined ? 0 : weightAt(first)
        return {
          ref,
          rows,
          score: weightAt(rows[0] ?? 0) + OPENING_WEIGHT * opening + WHOLE_WEIGHT * weigh(all)
        }
      })
      const found = promisingOf(
        lists.map(({ bit, rows }) => ({
          rows: Float64Array.from(rows.toSorted((a, b) => b - a)),
          bits: 1 << bit
        })),
        weights
      )
      assert.deepStrictEqual(
        found.appeals.map((from) => ({
          ref: refOf(found.rows[from] ?? 0),
          rows: found.placesOf(from).map((at) => found.rows[at] ?? 0)
        })),
        appeals.toSorted((a, b) => b.score - a.score || b.ref - a.ref).map(({ ref, rows }) => ({ ref, rows }))
      )
      assert.strictEqual(found.rows.length, held.size)
    })
  )
})
