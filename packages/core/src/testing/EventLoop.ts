// Counts the turns of the event loop: other requests run in them.
import { Effect } from "effect"

/** Runs the effect with a function that returns the number of turns made so far. */
export const withTurns = async <A>(run: (turns: () => number) => Effect.Effect<A, unknown>): Promise<A> => {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const result = await Effect.runPromise(run(() => turns))
  clearImmediate(next)
  return result
}
