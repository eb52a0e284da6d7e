// Percentiles from between bounds against those of a sort of everything, bit for bit, and bounds that miss
// (docs/statistics.md).
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"
import { rowsOf } from "../sql/Query.ts"
import {
  boundedColumns,
  boundedDuration,
  boundsAround,
  type Bounds,
  Duration,
  isFound,
  partColumns,
  sortedDuration
} from "./Durations.ts"

const rows = rowsOf(Schema.Struct({ tfr: Duration, ttc: Duration, bounded: Duration, other: Duration }))

/** Durations of `tfr` by both ways; `ttc` holds the same values backwards. */
const bothWays = Effect.fnUntraced(function* (values: ReadonlyArray<number | null>, bounds: Bounds) {
  const sql = yield* SqlClient.SqlClient
  return yield* rows.get(
    sql`with counted as (
      select nullif(value, '')::float8 as tfr_ms, -nullif(value, '')::float8 as ttc_ms
      from unnest(${values.map((value) => (value === null ? "" : String(value)))}::text[]) as given(value))
    , part as (select ${partColumns(sql, bounds, false)} from counted group by counted.tfr_ms::int8 % 3)
    select * from (select ${sql.literal(`${sortedDuration("tfr")} as tfr, ${sortedDuration("ttc")} as ttc`)} from counted) sorted,
      (select ${sql.literal(`${boundedDuration("tfr")} as bounded, ${boundedDuration("ttc")} as other`)}
        from (select ${sql.literal(boundedColumns)} from part) bounded) found`.unprepared
  )
})

/** Bounds as a sample of all values would give them, with wide margins. */
const boundsOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = values.toSorted((a, b) => a - b)
  return boundsAround([0.4, 0.6, 0.8, 1].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0))
}

const sets: ReadonlyArray<readonly [string, (i: number) => number | null]> = [
  ["that differ", (i) => ((i * 7_919) % 100_003) + 0.0],
  ["of which many are equal", (i) => Math.floor(((i * 7_919) % 1_009) / 100)],
  ["that are missing often", (i) => (i % 3 === 0 ? null : (i * 31_337) % 4_001)]
]

layer(RestFixtures)("durations from between bounds", (it) => {
  it.effect("are those of a sort, for any number of values", () =>
    Effect.gen(function* () {
      yield* Rest
      for (const [name, valueOf] of sets)
        for (const length of [40, 41, 97, 1_000, 1_001]) {
          const values = Array.from({ length }, (_, i) => valueOf(i))
          const some = values.filter((value) => value !== null)
          const found = yield* bothWays(values, {
            tfr: boundsOf(some),
            ttc: boundsOf(some.map((value) => -value))
          })
          assert.deepStrictEqual(found.bounded, found.tfr, `${length} values ${name}`)
          assert.isTrue(isFound(found.bounded))
        }
    })
  )

  it.effect("say so where a percentile lies outside, by one value too", () =>
    Effect.gen(function* () {
      const values = Array.from({ length: 1_000 }, (_, i) => i)
      const around = { tfr: [499, 501, 899, 901], ttc: [-501, -499, -101, -99] }
      const beside: ReadonlyArray<Bounds["tfr"]> = [
        [500, 600, 899, 901],
        [400, 500, 899, 901],
        [499, 501, 900, 901],
        [499, 501, 898, 899]
      ]
      const inside = yield* bothWays(values, around)
      assert.deepStrictEqual(inside.bounded, inside.tfr)
      for (const tfr of beside) {
        const outside = yield* bothWays(values, { ...around, tfr })
        assert.isFalse(isFound(outside.bounded), tfr.join())
      }
      const nothing = yield* bothWays([null, null], around)
      assert.isFalse(isFound(nothing.bounded))
    })
  )
})
