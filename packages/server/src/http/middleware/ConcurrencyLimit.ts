// Concurrency: so many at once per key, the next is refused and never queued (docs/contract.md §10).
import { Effect } from "effect"

export interface Permits {
  /** Runs the effect while a place of the key is free, else `refused`; the place is free again also after interruption. */
  readonly within: <A, E, R, E2>(
    key: string,
    effect: Effect.Effect<A, E, R>,
    refused: Effect.Effect<never, E2>
  ) => Effect.Effect<A, E | E2, R>
  /** Keys that hold a place now. */
  readonly size: () => number
}

export const makePermits = (max: number): Permits => {
  const running = new Map<string, number>()
  const take = (key: string): boolean => {
    const now = running.get(key) ?? 0
    if (now >= max) return false
    running.set(key, now + 1)
    return true
  }
  const give = (key: string): void => {
    const now = (running.get(key) ?? 1) - 1
    if (now === 0) running.delete(key)
    else running.set(key, now)
  }
  return {
    within: <A, E, R, E2>(key: string, effect: Effect.Effect<A, E, R>, refused: Effect.Effect<never, E2>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => take(key)),
        (mine): Effect.Effect<A, E | E2, R> => (mine ? effect : refused),
        (mine) => Effect.sync(() => (mine ? give(key) : undefined))
      ),
    size: () => running.size
  }
}
