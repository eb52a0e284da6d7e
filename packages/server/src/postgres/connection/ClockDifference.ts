// Measures the difference between the clocks of this machine, which validates tokens, and of the database, which sweeps.
import { Clock, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { valuesOf } from "../sql/Query.ts"

const MEASURE_MILLIS = 30_000
const RETRY_MILLIS = 1_000
/** A slower round trip is ignored, because its error is up to half of its duration. */
const ROUND_TRIP_MILLIS_MAX = 200

/** A larger difference has to be corrected. */
export const CLOCK_DIFFERENCE_MILLIS_WARNING = 500

const differenceGauge = Metric.gauge("rapport.clock.difference_seconds", {
  description: "how far apart the clocks of this machine and of PostgreSQL are"
})

const nowRows = valuesOf(Schema.Finite)

/** Assumes that the database read its clock in the middle between `before` and `after`. */
export const aheadMillis = (now: number, before: number, after: number): number =>
  Math.round(now - (before + after) / 2)

/** Undefined after a slow round trip. */
export const measureDifference = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const now = yield* nowRows.get(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8`)
  const after = yield* Clock.currentTimeMillis
  return after - before > ROUND_TRIP_MILLIS_MAX ? undefined : aheadMillis(now, before, after)
})

/** Returns the pause until the next measurement. */
const recordDifference = Effect.gen(function* () {
  // An unavailable database is reported elsewhere.
  const ahead = yield* Effect.orElseSucceed(measureDifference, () => undefined)
  if (ahead === undefined) return RETRY_MILLIS
  yield* Metric.update(differenceGauge, Math.abs(ahead) / 1_000)
  return MEASURE_MILLIS
})

export const clockDifferenceLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.forkScoped(Effect.forever(Effect.flatMap(recordDifference, (millis) => Effect.sleep(millis))))
)
