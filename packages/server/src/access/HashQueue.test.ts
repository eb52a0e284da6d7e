import { assert, it } from "@effect/vitest"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeHashQueue } from "./HashQueue.ts"

const bounds = { running: 1, waitingMax: 6, waitingOfAddressMax: 3, waitMillisMax: 1_000 }

/** A hash takes longer than a queue needs to move its next wait forward. */
const simulateHash = (begin: () => void) =>
  Effect.andThen(Effect.sync(begin), Effect.replicateEffect(Effect.yieldNow, 10, { discard: true }))

/** Queues work by priority and address behind the only place, frees the place, and returns the order in which it ran. */
const orderOf = (waiting: ReadonlyArray<readonly ["open" | "known", string]>) =>
  Effect.gen(function* () {
    const queue = makeHashQueue(yield* Admission, bounds)
    const order: Array<string> = []
    const busy = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(queue("open", "first")(Deferred.await(busy)), {
      startImmediately: true
    })
    const fibers = yield* Effect.forEach(waiting, ([priority, key]) =>
      Effect.forkChild(queue(priority, key)(simulateHash(() => order.push(`${priority} ${key}`))), {
        startImmediately: true
      })
    )
    yield* Deferred.succeed(busy, undefined)
    yield* Fiber.await(first)
    yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    return order
  })

const [openA, openB, openC] = [
  ["open", "a"],
  ["open", "b"],
  ["open", "c"]
] as const

it.effect.each([
  [
    "serves addresses round-robin, so that a flood delays no other",
    [openA, openA, openA, openB, openC],
    ["open a", "open b", "open c", "open a", "open a"]
  ],
  [
    "alternates between open routes and authenticated users",
    [openA, openB, openC, ["known", "d"], ["known", "e"]],
    ["known d", "open a", "known e", "open b", "open c"]
  ],
  [
    "refuses a wait above the limit of its address",
    [openA, openA, openA, openA, openA, openB],
    ["open a", "open b", "open a", "open a"]
  ],
  [
    "refuses a wait above the limit of all addresses",
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((key) => ["open", `${key}`] as const),
    [1, 2, 3, 4, 5, 6].map((key) => `open ${key}`)
  ]
] as const)("the queue of password hashing %s", ([, waiting, order]) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* orderOf(waiting), [...order])
  }).pipe(Effect.provide(Admission.memoryLayer()))
)

it.effect("the queue of password hashing refuses a wait after its deadline and skips a cancelled one", () =>
  Effect.gen(function* () {
    const queue = makeHashQueue(yield* Admission, bounds)
    const busy = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(queue("open", "a")(Deferred.await(busy)), {
      startImmediately: true
    })
    const late = yield* Effect.forkChild(Effect.flip(queue("open", "b")(Effect.void)), {
      startImmediately: true
    })
    const gone = yield* Effect.forkChild(queue("open", "c")(Effect.never), { startImmediately: true })
    yield* Fiber.interrupt(gone)
    yield* TestClock.adjust("1 second")
    const refused = yield* Fiber.join(late)
    assert.instanceOf(refused, RateLimited)
    assert.deepStrictEqual(refused.limit, { kind: "concurrency", retryAfterMs: 1_000 })
    yield* Deferred.succeed(busy, undefined)
    yield* Fiber.join(first)
    assert.strictEqual(yield* queue("known", "d")(Effect.succeed("free again")), "free again")
  }).pipe(Effect.provide(Admission.memoryLayer()))
)
