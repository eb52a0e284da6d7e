// Metrics whose value is read when somebody asks, instead of being written at every change.
import { type Context, Effect, Metric } from "effect"

/** Until the scope ends. */
export const registered = <State>(
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
