import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  BACKOFF_MILLIS_MAX,
  RETRY_AFTER_MILLIS_MAX,
  retryAfterOf,
  retryDelay,
  THROTTLED_AGE_MILLIS_MAX,
  throttledDelay
} from "./RetryPolicy.ts"

const unit = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const settings = fc.record({
  attempts: fc.integer({ min: 1, max: 100 }),
  backoffMillis: fc.integer({ min: 1, max: 3_600_000 })
})

// contract §8: BACKOFF × 2^n ± 20 % (60 s at most), never before Retry-After, ATTEMPTS times.

it("a delivery fails after exactly ATTEMPTS attempts", () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: 1, max: 200 }), unit, (retry, made, random) => {
      assert.strictEqual(retryDelay(retry, made, random, undefined) === undefined, made >= retry.attempts)
    })
  )
})

it("a delivery is retried after BACKOFF × 2^n ± 20 %, at most 60 s", () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: 1, max: 99 }), unit, (retry, made, random) => {
      const delay = retryDelay({ ...retry, attempts: 100 }, made, random, undefined) ?? Infinity
      const doubled = retry.backoffMillis * 2 ** (made - 1)
      assert.isAtMost(delay, Math.min(BACKOFF_MILLIS_MAX, doubled * 1.2 + 1e-6))
      assert.isAtLeast(delay, Math.min(BACKOFF_MILLIS_MAX, doubled * 0.8 - 1e-6))
    })
  )
})

it("the retry delay covers its whole range", () => {
  const retry = { attempts: 8, backoffMillis: 1_000 }
  for (const [made, random, expected] of [
    [1, 0, 800],
    [1, 1, 1_200],
    [3, 0.5, 4_000]
  ] as const)
    assert.closeTo(retryDelay(retry, made, random, undefined) ?? 0, expected, 1e-6)
})

it("a delivery is not retried before Retry-After, up to an hour", () => {
  fc.assert(
    fc.property(settings, fc.nat(10_000_000), unit, (retry, retryAfter, random) => {
      const delay = retryDelay({ ...retry, attempts: 2 }, 1, random, retryAfter) ?? -1
      assert.isAtLeast(delay, Math.min(retryAfter, RETRY_AFTER_MILLIS_MAX))
      assert.isAtMost(delay, Math.max(BACKOFF_MILLIS_MAX, RETRY_AFTER_MILLIS_MAX))
    })
  )
})

it("a throttled delivery waits for Retry-After, else about as long as its age, and fails after a day", () => {
  fc.assert(
    fc.property(
      settings,
      fc.nat(2 * THROTTLED_AGE_MILLIS_MAX),
      unit,
      fc.nat(10_000_000),
      (retry, age, random, retryAfter) => {
        const isOld = age >= THROTTLED_AGE_MILLIS_MAX
        assert.strictEqual(throttledDelay(retry, age, random, retryAfter) === undefined, isOld)
        assert.strictEqual(throttledDelay(retry, age, random, undefined) === undefined, isOld)
        if (isOld) return
        assert.isAtLeast(
          throttledDelay(retry, age, random, retryAfter) ?? -1,
          Math.min(retryAfter, RETRY_AFTER_MILLIS_MAX)
        )
        const delay = throttledDelay(retry, age, random, undefined) ?? -1
        assert.isAtLeast(delay, Math.min(BACKOFF_MILLIS_MAX, 0.8 * Math.max(age, retry.backoffMillis) - 1e-6))
        assert.isAtMost(delay, BACKOFF_MILLIS_MAX)
      }
    )
  )
})

it("Retry-After may be seconds or a date", () => {
  const now = Date.UTC(2026, 10, 22, 10, 0, 0)
  assert.strictEqual(retryAfterOf("120", now), 120_000)
  assert.strictEqual(retryAfterOf(" 0 ", now), 0)
  assert.strictEqual(retryAfterOf("Sun, 22 Nov 2026 10:00:30 GMT", now), 30_000)
  assert.strictEqual(retryAfterOf("Sun, 22 Nov 2026 09:00:00 GMT", now), 0)
  for (const other of [undefined, "", "-1", "1.5", "soon", "2026-11-22", "1e9", "١٢"])
    assert.isUndefined(retryAfterOf(other, now), other)
})
