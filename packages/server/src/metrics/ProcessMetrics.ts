// What the process itself reports: processor, memory, and how long its event loop is held.
import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { LOOP_DELAY_MILLIS, LOOP_DELAY_RESOLUTION_MILLIS } from "./MetricsLimits.ts"
import { registered } from "./Registered.ts"

const loopDelay = Metric.gauge("rapport.event_loop.delay_seconds", {
  description: "how late the event loop was in the last 10 s, by quantile"
})
const cpu = Metric.counter("rapport.process.cpu_seconds", {
  description: "processor time of the process since its start, all threads",
  incremental: true
})
const memory = Metric.gauge("rapport.process.resident_bytes", { description: "memory of the process" })

const quantiles = { "0.5": 50, "0.99": 99, "1": 100 } as const

export const processMetricsLayer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const histogram = yield* Effect.acquireRelease(
      Effect.sync(() => monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MILLIS })),
      (one) => Effect.sync(() => one.disable())
    )
    histogram.enable()
    yield* registered(cpu, context, () => {
      const { system, user } = process.cpuUsage()
      return { count: (system + user) / 1_000_000, incremental: true }
    })
    yield* registered(memory, context, () => ({ value: process.memoryUsage.rss() }))
    const sample = Effect.sync(() => {
      for (const [quantile, percent] of Object.entries(quantiles)) {
        const nanos = histogram.count === 0 ? 0 : histogram.percentile(percent)
        // What is measured is the length of a turn of the timer.
        const late = Math.max(0, nanos / 1e9 - LOOP_DELAY_RESOLUTION_MILLIS / 1_000)
        Metric.withAttributes(loopDelay, { quantile }).updateUnsafe(late, context)
      }
      histogram.reset()
    })
    yield* sample
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(LOOP_DELAY_MILLIS), sample)))
  })
)
