// The difference between the clocks of the service and PostgreSQL, and the metric of its alarm.
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Metric } from "effect"
import { clockAhead, PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { eventually } from "../../testing/ProjectionFixtures.ts"
import { aheadMillis, clockDifferenceLayer, measureDifference } from "./ClockDifference.ts"

const seconds = Effect.map(Metric.snapshot, (series) => {
  const found = series.find(({ id }) => id === "rapport.clock.difference_seconds")
  return found?.type === "Gauge" ? Number(found.state.value) : undefined
})

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: 60_000 })("clocks", (it) => {
  it.effect("the metric shows clocks that differ from the database, and none for clocks that agree", () =>
    Effect.gen(function* () {
      assert.strictEqual(aheadMillis(1_100, 1_000, 1_040), 80)
      const difference = yield* eventually(measureDifference, (found) => found !== undefined)
      assert.isBelow(Math.abs(difference ?? 1e9), 3_000)
      for (const millis of [7_000, -90_000])
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(clockDifferenceLayer)
            yield* eventually(seconds, (found) => Math.abs((found ?? 0) - Math.abs(millis) / 1_000) < 3)
          }).pipe(Effect.provideService(Clock.Clock, clockAhead(-millis)))
        )
    })
  )
})
