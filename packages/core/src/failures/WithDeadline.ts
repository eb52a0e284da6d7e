// Giving up at a moment without waiting for what is given up.
import { Clock, Effect, Fiber } from "effect"
import { type Source, SourceUnavailable } from "./SourceUnavailable.ts"

/**
 * Gives the effect up after so many milliseconds. Its interruption cancels the statement or search that runs, but is not
 * waited for: a database that no longer answers must not hold the answer back.
 */
export const abandonAfter =
  <E2>(millis: number, orElse: () => Effect.Effect<never, E2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      const abandon = Effect.forkDetach(Fiber.interrupt(fiber))
      return yield* Fiber.join(fiber).pipe(
        Effect.onInterrupt(() => abandon),
        Effect.timeoutOrElse({ duration: Math.max(0, millis), orElse })
      )
    })

/** Gives the effect up at the moment given (epoch milliseconds; Infinity: never), with reason timeout. */
export const withDeadline =
  (moment: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> => {
    if (moment === Infinity) return effect
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      abandonAfter(moment - now, () => Effect.fail(new SourceUnavailable({ source, reason: "timeout" })))(
        effect
      )
    )
  }

/** The same, so many milliseconds from now. */
export const withTimeout =
  (millis: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => withDeadline(now + millis, source)(effect))
