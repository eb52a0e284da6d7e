// Shows how far long work has come, about once a second, so that nobody watches a silent terminal.
import { Clock, Effect } from "effect"

export interface Progress {
  /** Adds to the count and says so when a second has passed since the last time. */
  readonly advance: (count: number) => Effect.Effect<void>
  /** Tells the total, if the work was long enough to be told about. */
  readonly finished: Effect.Effect<void>
}

const SHOWN_EVERY_MILLIS = 1_000

/** `what` is done to `unit`s; `total`, where it is known, turns counts into a share. */
export const progress = (what: string, unit: string, total?: number): Effect.Effect<Progress> =>
  Effect.map(Clock.currentTimeMillis, (begin) => {
    let done = 0
    let shownAt = begin
    const text = () =>
      `${what}: ${done.toLocaleString("en-US")}${total === undefined ? "" : ` of ${total.toLocaleString("en-US")}`} ${unit}`
    return {
      advance: (count) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          done += count
          if (now - shownAt < SHOWN_EVERY_MILLIS) return Effect.void
          shownAt = now
          return Effect.logInfo(text())
        }),
      finished: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now - begin < SHOWN_EVERY_MILLIS
          ? Effect.void
          : Effect.logInfo(`${text()}, finished in ${((now - begin) / 1000).toFixed(1)} s`)
      )
    }
  })
