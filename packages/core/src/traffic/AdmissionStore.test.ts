// Token buckets (contract §1.1).
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeBuckets, RATE_WINDOW_MILLIS } from "./AdmissionStore.ts"

it("an amount of 0 only reports whether a token is left", () => {
  const { take } = makeBuckets(1)
  assert.isNull(take("a", 0, 0).retryAfterMillis)
  assert.isNull(take("a", 1, 0).retryAfterMillis)
  assert.strictEqual(take("a", 0, 0).retryAfterMillis, RATE_WINDOW_MILLIS)
})

it("a clock that is set back by a day refuses no caller for longer than a minute", () => {
  const { take } = makeBuckets(2)
  const day = 86_400_000
  take("a", 2, day)
  assert.isAtMost(take("a", 1, 0).retryAfterMillis ?? 0, RATE_WINDOW_MILLIS)
  assert.isNull(take("a", 1, RATE_WINDOW_MILLIS).retryAfterMillis)
})

it("the oldest rate buckets are evicted above the bound", () => {
  const { take } = makeBuckets(1, 100)
  for (let key = 0; key < 1_000; key++) take(`key ${key}`, 1, 0)
  assert.isNotNull(take("key 999", 1, 0).retryAfterMillis)
  assert.isNotNull(take("key 950", 1, 0).retryAfterMillis)
  assert.isNull(take("key 899", 1, 0).retryAfterMillis)
  assert.isNull(take("key 0", 1, 0).retryAfterMillis)
})

it("a rate bucket is kept until it is full again", () => {
  const { take } = makeBuckets(2)
  take("a", 2, 0)
  for (let now = 0; now < RATE_WINDOW_MILLIS; now += 5_000) take("b", 1, now)
  assert.strictEqual(take("a", 0, RATE_WINDOW_MILLIS - 1_000).remaining, 1)
  for (let now = RATE_WINDOW_MILLIS; now < 5 * RATE_WINDOW_MILLIS; now += 10_000) take("a", 1, now)
  assert.isNotNull(take("a", 2, 5 * RATE_WINDOW_MILLIS).retryAfterMillis)
})

it("a rate bucket admits at most N requests, and N more per minute", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 120 }),
      (limit, pauses) => {
        const { take } = makeBuckets(limit)
        let now = 0
        let passed = 0
        for (const pause of pauses) {
          now += pause
          const { retryAfterMillis } = take("a", 1, now)
          if (retryAfterMillis === null) passed++
          else assert.isAtLeast(now + retryAfterMillis, 0)
          assert.isAtMost(passed, limit + (now * limit) / RATE_WINDOW_MILLIS + 0.01)
        }
        assert.isAtLeast(passed, Math.min(pauses.length, limit))
      }
    )
  )
})
