// A queue that is fair between tenants: shares, order, bounds, and interruptions (contract §10).
import { assert, it } from "@effect/vitest"
import { type TenantKey, type TenantQueueOptions, makeTenantQueue } from "./TenantQueue.ts"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

const options: TenantQueueOptions = { permits: 4, share: 3, waitingMax: 100, waitMillis: 1_000 }
const make = (changed: Partial<TenantQueueOptions> = {}) =>
  makeTenantQueue({ ...options, ...changed }, Effect.fail("refused" as const))
const [a, b, c]: [TenantKey, TenantKey, TenantKey] = ["instance/1", "instance/2", "instance/3"]

/** Runs that a test starts and ends. `running` lists the tenants in the order in which they got their slots. */
const makeRuns = (changed: Partial<TenantQueueOptions> = {}) => {
  const permits = make(changed)
  const running: Array<TenantKey> = []
  const unfinished: Array<readonly [TenantKey, Deferred.Deferred<void>]> = []
  const start = (key: TenantKey, places = 1) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        permits.within(
          key,
          Effect.suspend(() => {
            running.push(key)
            unfinished.push([key, ended])
            return Deferred.await(ended)
          }),
          places
        )
      )
      yield* Effect.yieldNow
      return fiber
    })
  const end = (key: TenantKey) =>
    Effect.gen(function* () {
      const at = unfinished.findIndex(([one]) => one === key)
      const [found] = unfinished.splice(at, 1)
      if (found !== undefined) yield* Deferred.succeed(found[1], undefined)
      yield* TestClock.adjust(0)
    })
  const slotsOf = (key: TenantKey) => unfinished.filter(([one]) => one === key).length
  return { end, slotsOf, running, start }
}

it.effect("a tenant has a smaller share while another tenant is active, and its own share afterwards", () =>
  Effect.gen(function* () {
    const { end, slotsOf, start } = makeRuns({
      permits: 100,
      share: 6,
      contended: { share: 2, millis: 1_000 },
      waitMillis: 10_000
    })
    yield* start(b)
    for (let n = 0; n < 10; n++) yield* start(a)
    assert.strictEqual(slotsOf(a), 2)
    yield* start(b)
    assert.strictEqual(slotsOf(b), 2, "the other tenant waits")
    yield* TestClock.adjust(1_000)
    yield* start(a)
    yield* end(a)
    assert.strictEqual(slotsOf(a), 6)
  })
)

it.effect("a tenant keeps its share while the other active tenant has more effects", () =>
  Effect.gen(function* () {
    const { slotsOf, start } = makeRuns({ permits: 100, share: 6, contended: { share: 2, millis: 1_000 } })
    yield* start(b)
    for (let n = 0; n < 10; n++) yield* start(a)
    for (let n = 0; n < 3; n++) yield* start(b)
    assert.strictEqual(slotsOf(b), 4)
    assert.strictEqual(slotsOf(a), 2)
  })
)

it.effect("a slot is freed after its counted time, although its effect still runs", () =>
  Effect.gen(function* () {
    const { end, slotsOf, start } = makeRuns({ share: 1, countedMillis: 100, waitMillis: 10_000 })
    yield* start(a)
    yield* start(a)
    assert.strictEqual(slotsOf(a), 1)
    yield* TestClock.adjust(100)
    assert.strictEqual(slotsOf(a), 2)
    yield* end(a)
    yield* start(a)
    assert.strictEqual(slotsOf(a), 1, "a slot was freed twice")
  })
)

it.effect("the queue gives a freed slot to the tenant with the fewest, round-robin between equals", () =>
  Effect.gen(function* () {
    const { end, running, start } = makeRuns({ permits: 2, share: 2 })
    yield* start(a)
    yield* start(a)
    for (const key of [a, a, a, b, b, c]) yield* start(key)
    for (let n = 0; n < 6; n++) yield* end(running[n] ?? a)
    // The first free slot goes to b, because a still has the other one. Then they alternate.
    assert.deepStrictEqual(running, [a, a, b, a, c, b, a, a])
  })
)

it.effect("the queue grants the slots of a request together, and does not starve a request for many", () =>
  Effect.gen(function* () {
    const { end, running, start } = makeRuns({ permits: 10, share: 8 })
    yield* start(a, 5)
    yield* start(b, 3)
    // It is within its share, but only two slots are free, so later requests queue behind it.
    yield* start(b, 4)
    for (let n = 0; n < 3; n++) yield* start(c)
    assert.deepStrictEqual(running, [a, b])
    yield* end(a)
    // c has fewer slots than b and goes first. Then b gets its slots.
    assert.deepStrictEqual(running, [a, b, c, c, c, b])
  })
)

it.effect("the queue refuses a request after its deadline and frees its slots", () =>
  Effect.gen(function* () {
    const { end, slotsOf, start } = makeRuns({ permits: 1, share: 1 })
    yield* start(a)
    const late = yield* start(b)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.await(late), Exit.fail("refused" as const))
    yield* end(a)
    yield* start(c)
    assert.strictEqual(slotsOf(c), 1)
  })
)

it.effect("the queue refuses a tenant above its bound, while other tenants may wait", () =>
  Effect.gen(function* () {
    const { start } = makeRuns({ permits: 1, share: 1, waitingMax: 2 })
    yield* start(a)
    yield* start(a)
    yield* start(a)
    const refused = yield* start(a)
    assert.deepStrictEqual(refused.pollUnsafe(), Exit.fail("refused" as const))
    assert.isUndefined((yield* start(b)).pollUnsafe())
  })
)

it.effect("the queue neither loses nor doubles a slot when requests are interrupted", () =>
  Effect.gen(function* () {
    const permits = make({ permits: 2, share: 2 })
    let running = 0
    let most = 0
    const work = (steps: number) =>
      Effect.gen(function* () {
        running++
        most = Math.max(most, running)
        for (let n = 0; n < steps; n++) yield* Effect.yieldNow
      }).pipe(Effect.ensuring(Effect.sync(() => running--)))
    const keys = [a, b, c]
    for (let round = 0; round < 300; round++) {
      const fibers = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) =>
        Effect.forkChild(permits.within(keys[n % 3] ?? a, work((round + n) % 4)))
      )
      for (let n = 0; n < round % 7; n++) yield* Effect.yieldNow
      // Ends and interruptions coincide in every order.
      yield* Effect.forEach(
        fibers.filter((_, n) => (round >> (n % 3)) % 2 === 0),
        Fiber.interrupt,
        {
          concurrency: "unbounded"
        }
      )
      yield* Effect.forEach(fibers, Fiber.await)
    }
    assert.isAtMost(most, 2)
    assert.strictEqual(running, 0)
    const both = yield* Effect.forEach([a, b], (key) => Effect.forkChild(permits.within(key, Effect.never)))
    yield* Effect.yieldNow
    const third = yield* Effect.forkChild(permits.within(c, Effect.void))
    yield* Effect.yieldNow
    assert.isUndefined(third.pollUnsafe())
    yield* Effect.forEach(both, Fiber.interrupt)
    assert.isTrue(Exit.isSuccess(yield* Fiber.await(third)))
  })
)
