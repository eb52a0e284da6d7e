// Deadlines: the effect fails with `timeout`, and is interrupted in the background.
import { Clock, Effect, Fiber } from "effect"
import { type Source, SourceUnavailable } from "./SourceUnavailable.ts"

/**
 * Fails after this many milliseconds. The interruption cancels the running statement or search. It is not awaited, because a
 * database that hangs must not delay the answer.
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

/** Fails with reason timeout at this time (epoch milliseconds; Infinity: never). */
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

/** Fails with reason timeout after this many milliseconds. */
export const withTimeout =
  (millis: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => withDeadline(now + millis, source)(effect))
