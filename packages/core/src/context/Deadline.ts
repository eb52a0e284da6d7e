// How the time of a read is shared: what may be told as missing gives up early enough for the rest of the answer.
import { Clock, Effect, Fiber } from "effect"
import { type Source, SourceUnavailable } from "../readiness/SourceUnavailable.ts"

/** Moments in epoch milliseconds after which each part is given up; Infinity: not before the answer is. */
export interface Deadlines {
  /** Of everything. */
  readonly answer: number
  /** Of the one statement that reads the sections. */
  readonly open: number
  /** Of the sections one by one, after that statement was given up. */
  readonly sections: number
  readonly search: number
  readonly recheck: number
}

/**
 * With allowPartial, an answer that shows less must still be assembled and confirmed in time. Without it nothing is
 * given up before the answer is: every delay that remains within the whole is waited for.
 */
export const deadlinesOf = (startedAt: number, timeoutMillis: number, allowPartial: boolean): Deadlines => {
  const at = (share: number) => (allowPartial ? startedAt + Math.floor(timeoutMillis * share) : Infinity)
  return {
    answer: startedAt + timeoutMillis,
    open: at(0.5),
    sections: at(0.7),
    search: at(0.7),
    recheck: at(0.85)
  }
}

/**
 * Gives the effect up at the moment given, with reason timeout. Its interruption cancels the statement or search that
 * runs, but is not waited for: a database that no longer answers must not hold the answer back.
 */
export const until =
  (moment: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> => {
    if (moment === Infinity) return effect
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      const abandon = Effect.forkDetach(Fiber.interrupt(fiber))
      return yield* Fiber.join(fiber).pipe(
        Effect.onInterrupt(() => abandon),
        Effect.timeoutOrElse({
          duration: Math.max(0, moment - now),
          orElse: () => Effect.fail(new SourceUnavailable({ source, reason: "timeout" }))
        })
      )
    })
  }
