// The metrics of this process in the format of Prometheus.
import { type Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

/** Counters end with `_total` in Prometheus, but not in OTLP. */
export const prometheusText = (context: Context.Context<never>): string => {
  const counters = new Set(
    Metric.snapshotUnsafe(context).flatMap(({ id, type }) => (type === "Counter" ? [id] : []))
  )
  return PrometheusMetrics.formatUnsafe(context, {
    metricNameMapper: (name) => (counters.has(name) ? `${name}_total` : name)
  })
}
