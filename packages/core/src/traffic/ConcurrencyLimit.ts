// Port of concurrency limits: so many at once per key, the next is refused and never queued (docs/contract.md §10, §12).
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer } from "effect"
import { refusalCounted } from "./RateLimit.ts"

/** When to come back after a refusal: it is not known when a place gets free. */
const CONCURRENCY_RETRY_MILLIS = 1_000

export class ConcurrencyLimit extends Context.Service<
  ConcurrencyLimit,
  {
    /** Runs the effect while a place of the key is free, else RateLimited; the place is free again also after interruption. */
    readonly within: (
      limit: TrafficLimit,
      key: string
    ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  }
>()("core/traffic/ConcurrencyLimit") {
  /** Places of this process. */
  static readonly layer = (limits: TrafficLimits): Layer.Layer<ConcurrencyLimit> =>
    Layer.sync(ConcurrencyLimit, () => {
      const places = new Map<TrafficLimit, Places>()
      const placesOf = (limit: TrafficLimit): Places => {
        const known = places.get(limit) ?? makePlaces(limits[limit])
        places.set(limit, known)
        return known
      }
      return ConcurrencyLimit.of({
        within:
          (limit, key) =>
          <A, E, R>(effect: Effect.Effect<A, E, R>) => {
            const { give, take } = placesOf(limit)
            return Effect.acquireUseRelease(
              Effect.sync(() => take(key)),
              (mine): Effect.Effect<A, E | RateLimited, R> =>
                mine ? effect : Effect.andThen(placesCounted(limit), crowded),
              (mine) => Effect.sync(() => (mine ? give(key) : undefined))
            )
          }
      })
    })
}

// Made only where it is needed: an error captures the stack.
const crowded: Effect.Effect<never, RateLimited> = Effect.suspend(() => Effect.fail(placesTaken()))

/** Counts a request that found no place. */
export const placesCounted = (limit: TrafficLimit): Effect.Effect<void> =>
  refusalCounted(limit, { retryAfterMillis: CONCURRENCY_RETRY_MILLIS })

export const placesTaken = (): RateLimited =>
  new RateLimited({
    detail: "too many requests of this kind run at the same time",
    limit: { kind: "concurrency", retryAfterMs: CONCURRENCY_RETRY_MILLIS }
  })

interface Places {
  readonly take: (key: string) => boolean
  readonly give: (key: string) => void
}

/** Only keys that hold a place take memory. */
const makePlaces = (max: number): Places => {
  const running = new Map<string, number>()
  return {
    take: (key) => {
      const now = running.get(key) ?? 0
      if (now >= max) return false
      running.set(key, now + 1)
      return true
    },
    give: (key) => {
      const left = (running.get(key) ?? 1) - 1
      if (left === 0) running.delete(key)
      else running.set(key, left)
    }
  }
}
