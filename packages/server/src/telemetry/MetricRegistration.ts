// Metrics whose value is computed when they are read.
import { type Context, Effect, Metric } from "effect"

/** Registers the metric until the scope ends. */
export const registerMetric = <State>(
  metric: Metric.Metric<number, State>,
  context: Context.Context<never>,
  get: () => State
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Metric.registerUnsafe(metric, context, { get, update: () => undefined, modify: () => undefined })
    ),
    (registration) => Effect.sync(() => registration.remove())
  )
