import { assert, describe, it } from "@effect/vitest"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeTurns } from "./HashTurns.ts"

const bounds = { atOnce: 1, waitingMax: 6, waitingOfKeyMax: 3, waitMillisMax: 1_000 }

/** Starts work of these askers and keys while another holds the only place, releases it, and returns the order in which they ran. */
const orderOf = (waiting: ReadonlyArray<readonly ["open" | "known", string]>) =>
  Effect.gen(function* () {
    const turns = makeTurns(bounds)
    const order: Array<string> = []
    const held = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(turns("open", "first")(Deferred.await(held)), {
      startImmediately: true
    })
    const fibers = yield* Effect.forEach(waiting, ([asker, key]) =>
      Effect.forkChild(turns(asker, key)(Effect.sync(() => order.push(`${asker} ${key}`))), {
        startImmediately: true
      })
    )
    yield* Deferred.succeed(held, undefined)
    yield* Fiber.await(first)
    yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    return order
  })

describe("turns at hashing", () => {
  it.effect("go round the addresses, so that a flood from one holds up no other", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* orderOf([
          ["open", "a"],
          ["open", "a"],
          ["open", "a"],
          ["open", "b"],
          ["open", "c"]
        ]),
        ["open a", "open b", "open c", "open a", "open a"]
      )
    })
  )

  it.effect("alternate between open routes and those who are known", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* orderOf([
          ["open", "a"],
          ["open", "b"],
          ["open", "c"],
          ["known", "d"],
          ["known", "e"]
        ]),
        ["known d", "open a", "known e", "open b", "open c"]
      )
    })
  )

  it.effect("are refused to what waits beyond the bound of its address, and of all", () =>
    Effect.gen(function* () {
      const ran = yield* orderOf([
        ["open", "a"],
        ["open", "a"],
        ["open", "a"],
        ["open", "a"],
        ["open", "a"],
        ["open", "b"]
      ])
      assert.deepStrictEqual(ran, ["open a", "open b", "open a", "open a"])
      const many = Array.from({ length: 9 }, (_, i) => ["open", `key ${i}`] as const)
      assert.strictEqual((yield* orderOf(many)).length, 6)
    })
  )

  it.effect("are waited for no longer than the deadline; who gave up takes no turn", () =>
    Effect.gen(function* () {
      const turns = makeTurns(bounds)
      const held = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(turns("open", "a")(Deferred.await(held)), {
        startImmediately: true
      })
      const late = yield* Effect.forkChild(Effect.flip(turns("open", "b")(Effect.void)), {
        startImmediately: true
      })
      const gone = yield* Effect.forkChild(turns("open", "c")(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("1 second")
      const refused = yield* Fiber.join(late)
      assert.instanceOf(refused, RateLimited)
      assert.deepStrictEqual(refused.limit, { kind: "concurrency", retryAfterMs: 1_000 })
      yield* Deferred.succeed(held, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(yield* turns("known", "d")(Effect.succeed("free again")), "free again")
    })
  )
})
