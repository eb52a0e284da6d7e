// Metrics of the process: CPU time, memory, delay of the event loop.
import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { registerMetric } from "../telemetry/MetricRegistration.ts"

/** How often the delay of the event loop is reported. */
const LOOP_DELAY_MILLIS = 10_000
/** How finely it is measured. */
const LOOP_DELAY_RESOLUTION_MILLIS = 20

const loopDelay = Metric.gauge("rapport.event_loop.delay_seconds", {
  description: "how late the event loop was in the last 10 s, by percentile"
})
const cpu = Metric.counter("rapport.process.cpu_seconds", {
  description: "processor time of the process since its start, all threads",
  incremental: true
})
const memory = Metric.gauge("rapport.process.resident_bytes", { description: "memory of the process" })

const percentiles = [50, 99, 100]

export const processMetricsLayer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const histogram = yield* Effect.acquireRelease(
      Effect.sync(() => monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MILLIS })),
      (one) => Effect.sync(() => one.disable())
    )
    histogram.enable()
    yield* registerMetric(cpu, context, () => {
      const { system, user } = process.cpuUsage()
      return { count: (system + user) / 1_000_000, incremental: true }
    })
    yield* registerMetric(memory, context, () => ({ value: process.memoryUsage.rss() }))
    const sample = Effect.sync(() => {
      for (const percentile of percentiles) {
        const nanos = histogram.count === 0 ? 0 : histogram.percentile(percentile)
        // The histogram measures the interval of a timer, including its resolution.
        const late = Math.max(0, nanos / 1e9 - LOOP_DELAY_RESOLUTION_MILLIS / 1_000)
        Metric.withAttributes(loopDelay, { percentile: String(percentile) }).updateUnsafe(late, context)
      }
      histogram.reset()
    })
    yield* sample
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(LOOP_DELAY_MILLIS), sample)))
  })
)
