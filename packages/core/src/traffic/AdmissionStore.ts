// Port of the counters of admission: rates (token buckets) and concurrent requests (contract §1.1, §10).
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { type FailedLogins, makeFailedLogins } from "./FailedLogins.ts"
import { BoundedMap } from "../values/BoundedMap.ts"
import { memoize } from "../values/Memoize.ts"
import { Clock, Context, Effect, Layer } from "effect"

/** Every rate is a number per minute. */
export const RATE_WINDOW_MILLIS = 60_000
/**
 * Buckets cached for one limit; at least the half that was used last is kept. An evicted bucket is full again.
 */
const RATE_KEYS_MAX = 100_000

/** The rest of a bucket. `retryAfterMillis`: null after a success, else when a retry can succeed. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly wholeAfterMillis: number
  readonly retryAfterMillis: number | null
}

/** Places of several limits, each counted for a key. */
export type Places = ReadonlyArray<readonly [limit: TrafficLimit, key: string]>

/** The limit without a free place, or the effect that frees the places. */
export type TakenPlaces = { readonly full: TrafficLimit } | { readonly release: Effect.Effect<void> }

/** The counters of requests: in the memory of a process, or in a Redis that several processes share. */
export class AdmissionStore extends Context.Service<
  AdmissionStore,
  {
    /**
     * Takes `amount` from the bucket of a key, or nothing if less is left; at most the whole bucket. 0 checks whether 1 is
     * left.
     */
    readonly takeRate: (limit: TrafficLimit, key: string, amount?: number) => Effect.Effect<Quota>
    /** Takes all of the places or none. */
    readonly takePlaces: (places: Places) => Effect.Effect<TakenPlaces>
    /** The bucket of a key; undefined if reading it would be a round trip. */
    readonly localRate: (limit: TrafficLimit, key: string) => Effect.Effect<Quota | undefined>
    readonly failedLogins: FailedLogins
  }
>()("core/traffic/AdmissionStore") {
  /** Counts in the memory of this process. */
  static readonly layer = (limits: TrafficLimits, loginKeysMax?: number): Layer.Layer<AdmissionStore> =>
    Layer.sync(AdmissionStore, () => {
      const bucketsOf = memoize((limit: TrafficLimit) => makeBuckets(limits[limit]))
      const takeRate = (limit: TrafficLimit, key: string, amount = 1) =>
        Effect.map(Clock.currentTimeMillis, (now) => bucketsOf(limit).take(key, amount, now))
      return AdmissionStore.of({
        takeRate,
        ...makePlaces(limits),
        localRate: (limit, key) => takeRate(limit, key, 0),
        failedLogins: makeFailedLogins(limits, loginKeysMax)
      })
    })
}

/** The quota of a bucket that is full after `wholeAfterMillis`. */
export const quotaOf = (limit: number, wholeAfterMillis: number, retryAfterMillis: number | null): Quota => ({
  limit,
  // A thousandth of a request hides the rounding of sums.
  remaining: Math.floor(((RATE_WINDOW_MILLIS - wholeAfterMillis) * limit) / RATE_WINDOW_MILLIS + 0.001),
  wholeAfterMillis,
  retryAfterMillis
})

export interface Buckets {
  readonly take: (key: string, amount: number, now: number) => Quota
}

/** A bucket is one number: the time at which it is full again (GCRA). */
export const makeBuckets = (limit: number, keysMax: number = RATE_KEYS_MAX): Buckets => {
  const wholeAt = new BoundedMap<string, number>(keysMax)
  const interval = RATE_WINDOW_MILLIS / limit
  const quota = (at: number, now: number, retryAfterMillis: number | null): Quota =>
    quotaOf(limit, at - now, retryAfterMillis)
  /** If the clock was set back, no caller is locked out for longer than a window. */
  const clamp = (seen: number, now: number): number => Math.min(Math.max(seen, now), now + RATE_WINDOW_MILLIS)
  return {
    take: (key, amount, now) => {
      const seen = wholeAt.get(key) ?? now
      const at = clamp(seen, now)
      if (seen > at) wholeAt.set(key, at)
      const wanted = at + Math.min(Math.max(amount, 1), limit) * interval
      const excess = wanted - now - RATE_WINDOW_MILLIS
      if (excess > interval / 1_000) return quota(at, now, Math.max(1, Math.ceil(excess)))
      if (amount === 0) return quota(at, now, null)
      wholeAt.set(key, wanted)
      return quota(wanted, now, null)
    }
  }
}

/** Places in memory; only keys with a place take memory. */
const makePlaces = (limits: TrafficLimits) => {
  const running = new Map<string, number>()
  const add = (places: Places, amount: 1 | -1) => {
    for (const [limit, key] of places) {
      const name = `${limit} ${key}`
      const count = (running.get(name) ?? 0) + amount
      if (count === 0) running.delete(name)
      else running.set(name, count)
    }
  }
  return {
    takePlaces: (places: Places): Effect.Effect<TakenPlaces> =>
      Effect.sync(() => {
        const full = places.find(([limit, key]) => (running.get(`${limit} ${key}`) ?? 0) >= limits[limit])
        if (full !== undefined) return { full: full[0] }
        add(places, 1)
        return { release: Effect.sync(() => add(places, -1)) }
      })
  }
}
