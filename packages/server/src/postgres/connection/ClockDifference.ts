// How far the clock of this machine is from that of the database: tokens are judged by one, what is swept by the other.
import { Clock, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

/** How often it is measured. */
const EVERY_MILLIS = 30_000
/** How soon after an attempt that told nothing. */
const AGAIN_MILLIS = 1_000
/** An exchange that takes longer tells too little: the database may have looked at its clock at any time of it. */
const EXCHANGE_MILLIS_MAX = 200

/** From here on the two are to be set right. */
export const CLOCK_DIFFERENCE_MILLIS_WARNING = 500

const differenceGauge = Metric.gauge("rapport.clock.difference_seconds", {
  description: "how far apart the clocks of this machine and of PostgreSQL are"
})

const nowRows = rowsOf(Schema.Struct({ now: Schema.Finite }))

/** How far the database is ahead of `before` and `after` its answer; at most half their distance is due to the way. */
export const aheadMillis = (now: number, before: number, after: number): number =>
  Math.round(now - (before + after) / 2)

/** Undefined where the answer took too long to tell. */
export const measured = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const { now } = yield* nowRows.get(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  )
  const after = yield* Clock.currentTimeMillis
  return after - before > EXCHANGE_MILLIS_MAX ? undefined : aheadMillis(now, before, after)
})

/** The wait until the next. */
const noted = Effect.gen(function* () {
  // A database that is away is told of elsewhere.
  const ahead = yield* Effect.orElseSucceed(measured, () => undefined)
  if (ahead === undefined) return AGAIN_MILLIS
  yield* Metric.update(differenceGauge, Math.abs(ahead) / 1_000)
  return EVERY_MILLIS
})

export const clockDifferenceLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.forkScoped(Effect.forever(Effect.flatMap(noted, (millis) => Effect.sleep(millis))))
)
