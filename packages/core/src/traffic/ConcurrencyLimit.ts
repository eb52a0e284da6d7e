// Port of concurrency limits: so many at once per key, the next is refused and never queued (docs/contract.md §10, §12).
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer } from "effect"
import { refusalCounted } from "./RateLimit.ts"

/** When to come back after a refusal: it is not known when a place gets free. */
const CONCURRENCY_RETRY_MILLIS = 1_000

/** One place each of so many limits, by the key that it is counted for. */
export type Places = ReadonlyArray<readonly [limit: TrafficLimit, key: string]>

/** The limit that has no place left, or what gives the places back. */
export type Taken = { readonly full: TrafficLimit } | { readonly give: Effect.Effect<void> }

export class ConcurrencyLimit extends Context.Service<
  ConcurrencyLimit,
  {
    /** Runs the effect while all of the places are free, else RateLimited; they are free again also after interruption. */
    readonly within: (
      places: Places
    ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  }
>()("core/traffic/ConcurrencyLimit") {
  /** `take` takes all of the places or none. */
  static readonly make = (take: (places: Places) => Effect.Effect<Taken>) =>
    ConcurrencyLimit.of({
      within:
        (places) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.acquireUseRelease(
            take(places),
            (taken): Effect.Effect<A, E | RateLimited, R> =>
              "full" in taken ? Effect.andThen(placesCounted(taken.full), crowded) : effect,
            (taken) => ("full" in taken ? Effect.void : taken.give)
          )
    })

  /** Places of this process. */
  static readonly layer = (limits: TrafficLimits): Layer.Layer<ConcurrencyLimit> =>
    Layer.sync(ConcurrencyLimit, () => ConcurrencyLimit.make(takeHere(limits)))
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

/** Places in the memory of this process; only keys that hold one take memory. */
export const takeHere = (limits: TrafficLimits): ((places: Places) => Effect.Effect<Taken>) => {
  const running = new Map<string, number>()
  const add = (places: Places, amount: 1 | -1) => {
    for (const [limit, key] of places) {
      const name = `${limit} ${key}`
      const count = (running.get(name) ?? 0) + amount
      if (count === 0) running.delete(name)
      else running.set(name, count)
    }
  }
  return (places) =>
    Effect.sync(() => {
      const full = places.find(([limit, key]) => (running.get(`${limit} ${key}`) ?? 0) >= limits[limit])
      if (full !== undefined) return { full: full[0] }
      add(places, 1)
      return { give: Effect.sync(() => add(places, -1)) }
    })
}
