// Work that is done again and again: a failure does not end it, and is logged when it begins, not each time.
import { Cause, Effect } from "effect"

/** Each use keeps its own memory of whether it fails at present. */
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
