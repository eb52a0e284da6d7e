// How far a long run has come: a bar on a terminal, plain lines elsewhere, both on standard error.
import { Clock, Context, Effect, Layer } from "effect"

const BAR_CELLS = 30
const DRAWN_EVERY_MILLIS = 100
/** Lines of one stage where no terminal is. */
const LINES_MAX = 5

/** Work of a known size that is told about while it is done. */
export class Progress extends Context.Service<
  Progress,
  { readonly stage: (name: string, total: number) => Effect.Effect<Stage> }
>()("@rapport/bench/Progress") {
  static readonly layer: Layer.Layer<Progress> = Layer.sync(Progress, () => ({
    stage: (name, total) =>
      process.stderr.isTTY
        ? bar(name, total, (text) => process.stderr.write(text))
        : lines(name, total, (text) => process.stderr.write(text))
  }))
  static readonly silent: Layer.Layer<Progress> = Layer.succeed(Progress, {
    stage: () => Effect.succeed({ at: () => Effect.void, one: Effect.void })
  })
}

export interface Stage {
  /** So much is done. */
  readonly at: (done: number) => Effect.Effect<void>
  /** One more is done. */
  readonly one: Effect.Effect<void>
}

const counting = (at: Stage["at"]): Stage => {
  let done = 0
  return { at, one: Effect.suspend(() => at(++done)) }
}

/** One line that is drawn anew, and ends when all is done. */
export const bar = (name: string, total: number, write: (text: string) => void): Effect.Effect<Stage> =>
  Effect.sync(() => {
    let drawn = -Infinity
    return counting((done) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (now - drawn < DRAWN_EVERY_MILLIS && done < total) return
        drawn = now
        const cells = total === 0 ? BAR_CELLS : Math.min(BAR_CELLS, Math.floor((BAR_CELLS * done) / total))
        const drawing = "█".repeat(cells) + "░".repeat(BAR_CELLS - cells)
        write(`\r${drawing} ${name} ${done}/${total}\u001B[K${done >= total ? "\n" : ""}`)
      })
    )
  })

/** A line each time another fifth is done. */
export const lines = (name: string, total: number, write: (text: string) => void): Effect.Effect<Stage> =>
  Effect.sync(() => {
    let told = 0
    return counting((done) =>
      Effect.sync(() => {
        const share = total === 0 ? LINES_MAX : Math.floor((LINES_MAX * done) / total)
        if (share <= told) return
        told = share
        write(`${name} ${done}/${total}\n`)
      })
    )
  })
