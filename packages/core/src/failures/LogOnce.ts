// Runs repeated work whose failures are logged once until it succeeds again.
import { Cause, Effect, type Scope } from "effect"

/** Each call has its own state. */
export const logOnce = (what: string) => {
  let fails = false
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
    Effect.matchCauseEffect(work, {
      onSuccess: () =>
        Effect.sync(() => {
          fails = false
        }),
      onFailure: (cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const isKnown = fails
        fails = true
        return isKnown ? Effect.void : Effect.logWarning(what, cause)
      }
    })
}

/** Repeats work until the scope closes, and logs its failures once as `what`. */
export const repeatEvery =
  (millis: number, what: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R | Scope.Scope> =>
    work.pipe(
      logOnce(what),
      Effect.andThen(Effect.sleep(millis)),
      Effect.forever,
      Effect.forkScoped,
      Effect.asVoid
    )
