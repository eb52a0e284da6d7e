// The metrics of this process as Prometheus reads them.
import { type Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

/** Prometheus wants counters to end with `_total`; OTLP wants them without it. */
export const prometheusText = (context: Context.Context<never>): string => {
  const counters = new Set(
    Metric.snapshotUnsafe(context).flatMap(({ id, type }) => (type === "Counter" ? [id] : []))
  )
  return PrometheusMetrics.formatUnsafe(context, {
    metricNameMapper: (name) => (counters.has(name) ? `${name}_total` : name)
  })
}
