import { assert, describe, it } from "@effect/vitest"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { LoginGuard } from "./LoginGuard.ts"
import { loginKeyOf } from "./LoginKey.ts"

const limits = { FAILED_LOGINS_PER_5_MINUTES: 5, FAILED_LOGINS_PER_5_MINUTES_ADDRESS: 20 }
const layerOf = LoginGuard.layer(limits)

const wrong = Effect.succeed(undefined)
const right = Effect.succeed("user 31")

type Outcome = "right" | "wrong" | "refused"
const attempt = (login: string, address: string | null, verify: Effect.Effect<string | undefined>) =>
  Effect.gen(function* () {
    const guard = yield* LoginGuard
    const result = yield* Effect.result(guard.attempt(loginKeyOf(login), address, verify))
    if (Result.isFailure(result)) return "refused" satisfies Outcome
    return (result.success === undefined ? "wrong" : "right") satisfies Outcome
  })
const times = (n: number, effect: Effect.Effect<Outcome, never, LoginGuard>) =>
  Effect.replicateEffect(effect, n)

// docs/contract.md §10: "Past a failed-login limit every login of that name or address is 429 before the password is
// looked at; unknown names count alike, names without regard to case, successes not, attempts at once exactly."
describe("failed logins", () => {
  it.effect("of one name: the first five are judged, after that even the right password is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* times(5, attempt("olena", "10.0.0.1", wrong)), Array(5).fill("wrong"))
      assert.strictEqual(yield* attempt("olena", "10.0.0.2", right), "refused")
      assert.strictEqual(yield* attempt("olha", "10.0.0.2", right), "right")
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("are refused before the password is looked at", () =>
    Effect.gen(function* () {
      yield* times(5, attempt("olena", null, wrong))
      let looked = 0
      yield* attempt(
        "olena",
        null,
        Effect.sync(() => String(looked++))
      )
      assert.strictEqual(looked, 0)
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("of one address: twenty, whatever the names", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 20; i++) assert.strictEqual(yield* attempt(`name ${i}`, "10.0.0.1", wrong), "wrong")
      assert.strictEqual(yield* attempt("olena", "10.0.0.1", right), "refused")
      assert.strictEqual(yield* attempt("olena", "10.0.0.2", right), "right")
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("do not regard case, in any script", () =>
    Effect.gen(function* () {
      for (const login of ["Їжак", "їжак", "ЇЖАК", "їЖак", "ЇжАк"]) yield* attempt(login, null, wrong)
      assert.strictEqual(yield* attempt("їжаК", null, right), "refused")
      for (const login of ["İdris", "idris", "IDRIS", "Idris", "İDRİS"]) yield* attempt(login, null, wrong)
      assert.strictEqual(yield* attempt("idriS", null, right), "refused")
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("are forgotten after five minutes, one by one, and Retry-After says when", () =>
    Effect.gen(function* () {
      yield* attempt("olena", null, wrong)
      yield* TestClock.adjust("1 minute")
      yield* times(4, attempt("olena", null, wrong))
      const guard = yield* LoginGuard
      const refused = yield* Effect.flip(guard.attempt("olena", null, wrong))
      assert.instanceOf(refused, RateLimited)
      assert.deepStrictEqual(refused.limit, { kind: "rate", retryAfterMs: 240_000 })
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* attempt("olena", null, wrong), "wrong")
      assert.strictEqual(yield* attempt("olena", null, right), "refused")
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("do not count successes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* times(50, attempt("olena", "10.0.0.1", right)), Array(50).fill("right"))
      assert.deepStrictEqual(yield* times(5, attempt("olena", "10.0.0.1", wrong)), Array(5).fill("wrong"))
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("at once are counted exactly: of fifty wrong ones five are judged", () =>
    Effect.gen(function* () {
      const slowly = Effect.andThen(Effect.yieldNow, wrong)
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => attempt("olena", "10.0.0.1", slowly)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(all.filter((outcome) => outcome === "wrong").length, 5)
      assert.strictEqual(all.filter((outcome) => outcome === "refused").length, 45)
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("at once never refuse the right password for attempts that are not decided yet", () =>
    Effect.gen(function* () {
      const slowly = Effect.andThen(Effect.yieldNow, right)
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => attempt("olena", "10.0.0.1", slowly)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(all, Array(50).fill("right"))
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("count an attempt whose caller hung up before it was decided", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 5; i++) {
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          attempt("olena", null, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
      }
      assert.strictEqual(yield* attempt("olena", null, right), "refused")
    }).pipe(Effect.provide(layerOf))
  )

  it.effect("do not count what the database failed at", () =>
    Effect.gen(function* () {
      const guard = yield* LoginGuard
      yield* Effect.replicateEffect(Effect.flip(guard.attempt("olena", null, Effect.fail("away"))), 9)
      assert.strictEqual(yield* attempt("olena", null, right), "right")
    }).pipe(Effect.provide(layerOf))
  )
})
