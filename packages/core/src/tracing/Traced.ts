// Spans that cost nothing where nothing exports them: even one that is not exported gives its fiber another context, twice.
import { Effect, References } from "effect"

/** `Effect.withSpan` where spans are made, else the effect as it is. */
export const inSpan =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isEnabled) =>
      isEnabled ? Effect.withSpan(effect, name) : effect
    )

/** A function whose effects run in a span of this name. */
export const traced =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(run: (...args: Args) => Effect.Effect<A, E, R>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    inSpan(name)(Effect.suspend(() => run(...args)))
