// Logs how far long work is, at most once a second. LogLines.ts makes one line of it.
import { Clock, Effect } from "effect"
import { PROGRESS } from "./LogLines.ts"

export interface Progress {
  /** Adds to the count, and logs it if the last line is a second old. */
  readonly advance: (count: number) => Effect.Effect<void>
  /** Sets the count of work that knows its total. */
  readonly reached: (at: { readonly built: number; readonly total: number }) => Effect.Effect<void>
  /** Logs the total and the time, if the work took longer than a second. */
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
      return Effect.annotateLogs(Effect.logInfo(line), PROGRESS, what)
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
              `${what}: ${count(Math.max(done, total))} ${unit} in ${((now - begin) / 1000).toFixed(1)} s`
            ).pipe(Effect.annotateLogs({ [PROGRESS]: what, isFinished: true }))
      )
    }
  })

const count = (n: number): string => n.toLocaleString("en-US")
