// Token buckets (contract §1.1) and concurrency slots (contract §10).
import { assert, it } from "@effect/vitest"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { makeBuckets, RATE_WINDOW_MILLIS, AdmissionStore, type Places } from "./AdmissionStore.ts"

it("a rate bucket admits N requests, refuses the next and reports when to retry", () => {
  const { take } = makeBuckets(3)
  const now = 1_000_000
  assert.deepStrictEqual(
    [0, 0, 0].map(() => take("a", 1, now).remaining),
    [2, 1, 0]
  )
  assert.deepStrictEqual(take("a", 1, now), {
    limit: 3,
    remaining: 0,
    wholeAfterMillis: 60_000,
    retryAfterMillis: 20_000
  })
  assert.isNull(take("b", 1, now).retryAfterMillis)
  assert.strictEqual(take("a", 1, now + 19_000).retryAfterMillis, 1_000)
  assert.isNull(take("a", 1, now + 20_000).retryAfterMillis)
  assert.strictEqual(take("a", 1, now + 20_000).retryAfterMillis, 20_000)
})

it("an amount of 0 only reports whether a token is left", () => {
  const { take } = makeBuckets(1)
  assert.isNull(take("a", 0, 0).retryAfterMillis)
  assert.isNull(take("a", 1, 0).retryAfterMillis)
  assert.strictEqual(take("a", 0, 0).retryAfterMillis, RATE_WINDOW_MILLIS)
})

it("an amount takes that many tokens, at most all", () => {
  const { take } = makeBuckets(10)
  assert.strictEqual(take("a", 7, 0).remaining, 3)
  assert.isNotNull(take("a", 4, 0).retryAfterMillis)
  assert.strictEqual(take("a", 3, 0).remaining, 0)
  assert.isNull(take("b", 1_000, 0).retryAfterMillis)
  assert.strictEqual(take("b", 1, 0).remaining, 0)
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

it.layer(AdmissionStore.layer({ ...TrafficDefaults, REST_PER_MINUTE: 2 }))("the port", (it) => {
  it.effect("rate limits use the Clock service", () =>
    Effect.gen(function* () {
      const store = yield* AdmissionStore
      const take = store.takeRate("REST_PER_MINUTE", "1/user/1")
      assert.isNull((yield* take).retryAfterMillis)
      assert.isNull((yield* take).retryAfterMillis)
      assert.strictEqual((yield* take).retryAfterMillis, 30_000)
      yield* TestClock.adjust("30 seconds")
      assert.isNull((yield* take).retryAfterMillis)
    })
  )
})

const places: Places = [
  ["REST_AT_ONCE", "user/1"],
  ["REST_AT_ONCE_INSTANCE", "1"]
]

it.layer(AdmissionStore.layer({ ...TrafficDefaults, REST_AT_ONCE: 2, REST_AT_ONCE_INSTANCE: 3 }))(
  "concurrency slots",
  (it) => {
    it.effect("the slots of a request are taken together or not at all", () =>
      Effect.gen(function* () {
        const { takePlaces } = yield* AdmissionStore
        const first = yield* takePlaces(places)
        assert.property(yield* takePlaces(places), "release")
        assert.deepStrictEqual(yield* takePlaces(places), { full: "REST_AT_ONCE" })
        const other: Places = [
          ["REST_AT_ONCE", "user/2"],
          ["REST_AT_ONCE_INSTANCE", "1"]
        ]
        assert.property(yield* takePlaces(other), "release")
        assert.deepStrictEqual(yield* takePlaces(other), { full: "REST_AT_ONCE_INSTANCE" })
        if ("release" in first) yield* first.release
        assert.property(yield* takePlaces(other), "release")
      })
    )
  }
)
