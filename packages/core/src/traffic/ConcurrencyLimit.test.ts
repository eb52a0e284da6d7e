// Who counts places is behind the port: what `within` promises holds whatever counts them (docs/contract.md §10).
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { ConcurrencyLimit, type Places, type Taken } from "./ConcurrencyLimit.ts"

const places: Places = [["REST_AT_ONCE", "user/1"]]

/** Answers as it is given, and counts what is given back. */
const fake = (taken: (give: Effect.Effect<void>) => Taken) => {
  const asked: Array<Places> = []
  let given = 0
  const give = Effect.sync(() => void given++)
  const layer = Layer.succeed(
    ConcurrencyLimit,
    ConcurrencyLimit.make((wanted) => Effect.sync(() => (asked.push(wanted), taken(give))))
  )
  return { asked, layer, given: () => given }
}

const within = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.flatMap(ConcurrencyLimit, (limit) => limit.within(places)(effect))

describe("ConcurrencyLimit", () => {
  it.effect("refuses without running anything where no place is left", () => {
    const { asked, given, layer } = fake(() => ({ full: "REST_AT_ONCE" }))
    let ran = false
    return Effect.gen(function* () {
      const refused = yield* Effect.flip(within(Effect.sync(() => (ran = true))))
      assert.strictEqual(refused._tag, "RateLimited")
      assert.deepStrictEqual(asked, [places])
      assert.deepStrictEqual([ran, given()], [false, 0])
    }).pipe(Effect.provide(layer))
  })

  it.effect("gives its places back once: after a success, a failure, and an interruption", () => {
    const { given, layer } = fake((give) => ({ give }))
    return Effect.gen(function* () {
      assert.strictEqual(yield* within(Effect.succeed(1)), 1)
      assert.strictEqual(given(), 1)
      assert.strictEqual(yield* Effect.flip(within(Effect.fail("own"))), "own")
      assert.strictEqual(given(), 2)
      const fiber = yield* Effect.forkChild(within(Effect.never), { startImmediately: true })
      assert.strictEqual(given(), 2)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(given(), 3)
    }).pipe(Effect.provide(layer))
  })
})
