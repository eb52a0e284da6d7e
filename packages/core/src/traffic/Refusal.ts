// Makes every RateLimited, the error of a 429, and counts it (contract §1.1, §10).
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { TrafficLimit } from "@rapport/contract/Limits.ts"
import { Effect, Metric } from "effect"

/** The members of a refusal that callers see. */
export type Refusal = Pick<RateLimited, "detail" | "limit">

/** A rate is used up; `retryAfterMillis` is the time until the request can succeed. */
export const overRate = (detail: string, retryAfterMillis: number): Refusal => ({
  detail,
  limit: { kind: "rate", retryAfterMs: Math.max(1, Math.ceil(retryAfterMillis)) }
})

/** Nobody knows when a place is free. */
const PLACE_RETRY_MILLIS = 1_000

/** Too much runs or waits at the same time. */
export const overConcurrency = (detail: string): Refusal => ({
  detail,
  limit: { kind: "concurrency", retryAfterMs: PLACE_RETRY_MILLIS }
})

/** Fails with a refusal. The error is made only when it is needed, for it captures the stack. */
export const refuse = (refusal: Refusal): Effect.Effect<never, RateLimited> =>
  Effect.suspend(() => Effect.fail(new RateLimited(refusal)))

const refusals = Metric.counter("rapport.limiter.refusals", {
  description: "requests above a limit, by the name of the limit",
  incremental: true
})

/** By the name of the limit; made once each, for making them costs more than counting. */
const refusalSeries = new Map<TrafficLimit, typeof refusals>()
const refusalsOf = (limit: TrafficLimit) => {
  const made = refusalSeries.get(limit) ?? Metric.withAttributes(refusals, { limit })
  refusalSeries.set(limit, made)
  return made
}

/** Counts a request above a limit. */
export const countRefusal = (limit: TrafficLimit): Effect.Effect<void> => Metric.update(refusalsOf(limit), 1)
