// Shows how far long work has come, about once a second and no line twice, so that the terminal is not silent.
import { Clock, Effect } from "effect"

export interface Progress {
  /** Adds to the count and says so when a second has passed since the last time. */
  readonly advance: (count: number) => Effect.Effect<void>
  /** The same for work that knows how far it is and how much there is. */
  readonly reached: (at: { readonly built: number; readonly total: number }) => Effect.Effect<void>
  /** Prints the total, if the work was long enough to mention. */
  readonly finished: Effect.Effect<void>
}

const SHOWN_EVERY_MILLIS = 1_000

/** `what` is done to `unit`s. */
export const progress = (what: string, unit: string): Effect.Effect<Progress> =>
  Effect.map(Clock.currentTimeMillis, (begin) => {
    let done = 0
    let total = 0
    let shownAt = begin
    let shown = ""
    const text = () => `${what}: ${count(done)}${total === 0 ? "" : ` of ${count(total)}`} ${unit}`
    const show = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const line = text()
      if (now - shownAt < SHOWN_EVERY_MILLIS || line === shown) return Effect.void
      shownAt = now
      shown = line
      return Effect.logInfo(line)
    })
    return {
      advance: (more) =>
        Effect.suspend(() => {
          done += more
          return show
        }),
      reached: (at) =>
        Effect.suspend(() => {
          done = at.built
          total = at.total
          return show
        }),
      finished: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now - begin < SHOWN_EVERY_MILLIS
          ? Effect.void
          : Effect.logInfo(
              `${what}: ${count(Math.max(done, total))} ${unit}, finished in ${((now - begin) / 1000).toFixed(1)} s`
            )
      )
    }
  })

const count = (n: number): string => n.toLocaleString("en-US")
