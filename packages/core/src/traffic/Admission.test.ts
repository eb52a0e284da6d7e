// Failed logins and concurrent logins (contract §10).
import { assert, it } from "@effect/vitest"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { addressKey } from "../access/AddressKey.ts"
import { loginKeyOf } from "../access/LoginKey.ts"
import { Admission } from "./Admission.ts"
import { AdmissionStore } from "./AdmissionStore.ts"

const limits = { ...TrafficDefaults, FAILED_LOGINS_PER_5_MINUTES: 5, FAILED_LOGINS_PER_5_MINUTES_ADDRESS: 20 }
const admissionLayer = Admission.memoryLayer(limits)

const wrong = Effect.succeed(undefined)
const right = Effect.succeed("user 31")

type Outcome = "right" | "wrong" | "refused"
const loginAttempt = (login: string, address: string | null, knownFrom: ReadonlyArray<string> = []) => ({
  loginKey: loginKeyOf(login),
  address,
  isKnown: Effect.succeed(knownFrom.includes(addressKey(address ?? "")))
})
const attempt = (
  login: string,
  address: string | null,
  verify: Effect.Effect<string | undefined>,
  knownFrom?: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { attemptLogin } = yield* Admission
    const result = yield* Effect.result(attemptLogin(loginAttempt(login, address, knownFrom), verify))
    if (Result.isFailure(result)) return "refused" satisfies Outcome
    return (result.success === undefined ? "wrong" : "right") satisfies Outcome
  })
const times = (n: number, effect: Effect.Effect<Outcome, never, Admission>) =>
  Effect.replicateEffect(effect, n)

const fiftyInParallel = (
  address: string,
  verify: Effect.Effect<string | undefined>,
  knownFrom?: ReadonlyArray<string>
) =>
  Effect.replicateEffect(attempt("olena", address, Effect.andThen(Effect.yieldNow, verify), knownFrom), 50, {
    concurrency: "unbounded"
  })

/** Failed logins from this many other addresses. */
const failFromOthers = (n: number) =>
  Effect.forEach(Array(n).keys(), (i) => attempt("olena", `198.51.100.${i}`, wrong))

// contract §10: "Above a limit, each login with that name or from that address is 429 before the password is checked."

it.effect("after five failed logins of a name the right password is refused without a check", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* times(5, attempt("olena", "10.0.0.1", wrong)), Array(5).fill("wrong"))
    assert.strictEqual(yield* attempt("olena", "10.0.0.2", Effect.die("is checked")), "refused")
    assert.strictEqual(yield* attempt("olha", "10.0.0.2", right), "right")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("twenty failed logins from an address block it for every name", () =>
  Effect.gen(function* () {
    for (let i = 0; i < 20; i++) assert.strictEqual(yield* attempt(`name ${i}`, "10.0.0.1", wrong), "wrong")
    assert.strictEqual(yield* attempt("olena", "10.0.0.1", right), "refused")
    assert.strictEqual(yield* attempt("olena", "10.0.0.2", right), "right")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect(
  "spellings of a name that differ in case, Unicode form, apostrophes or white space count together",
  () =>
    Effect.gen(function* () {
      for (const login of ["Їжак", "їжак", "ЇЖАК", "їЖак", "ЇжАк"]) yield* attempt(login, null, wrong)
      assert.strictEqual(yield* attempt("їжаК", null, right), "refused")
      for (const login of ["д’артаньян", "Д'АРТАНЬЯН", " дʼартаньян", "д’артаньян ", "д’артаньян"])
        yield* attempt(login, null, wrong)
      assert.strictEqual(yield* attempt("Д`артаньян", null, right), "refused")
      for (const login of ["йосип", "и\u0306осип", "Йосип", "И\u0306осип", "ЙОСИП"])
        yield* attempt(login, null, wrong)
      assert.strictEqual(yield* attempt("йосиП", null, right), "refused")
    }).pipe(Effect.provide(admissionLayer))
)

it.effect("each failed login expires after five minutes, and Retry-After is the time until then", () =>
  Effect.gen(function* () {
    yield* attempt("olena", null, wrong)
    yield* TestClock.adjust("1 minute")
    yield* times(4, attempt("olena", null, wrong))
    const { attemptLogin } = yield* Admission
    const refused = yield* Effect.flip(attemptLogin(loginAttempt("olena", null), wrong))
    assert.instanceOf(refused, RateLimited)
    assert.deepStrictEqual(refused.limit, { kind: "rate", retryAfterMs: 240_000 })
    yield* TestClock.adjust("4 minutes")
    assert.strictEqual(yield* attempt("olena", null, wrong), "wrong")
    assert.strictEqual(yield* attempt("olena", null, right), "refused")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("successful logins are not counted", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* times(50, attempt("olena", "10.0.0.1", right)), Array(50).fill("right"))
    assert.deepStrictEqual(yield* times(5, attempt("olena", "10.0.0.1", wrong)), Array(5).fill("wrong"))
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("of fifty concurrent wrong logins exactly five passwords are checked", () =>
  Effect.gen(function* () {
    const all = yield* fiftyInParallel("10.0.0.1", wrong)
    assert.sameMembers(all, [...Array(5).fill("wrong"), ...Array(45).fill("refused")])
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("fifty concurrent right logins succeed", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* fiftyInParallel("10.0.0.1", right), Array(50).fill("right"))
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("a login whose caller disconnects before the result counts as failed and frees its place", () =>
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
    assert.strictEqual(yield* attempt("olha", null, right), "right")
  }).pipe(Effect.provide(Admission.memoryLayer({ ...limits, LOGINS_CONCURRENT: 1 })))
)

it.effect("a login that failed with the database does not count", () =>
  Effect.gen(function* () {
    const { attemptLogin } = yield* Admission
    yield* Effect.replicateEffect(
      Effect.flip(attemptLogin(loginAttempt("olena", null), Effect.fail("unavailable"))),
      9
    )
    assert.strictEqual(yield* attempt("olena", null, right), "right")
  }).pipe(Effect.provide(admissionLayer))
)

// contract §10: "If others have used up a name, an address that logged in with it within 30 days is still accepted"

const home = ["192.0.2.1", "2001:db8:1:2::/64"]
it.effect("a name that other addresses blocked works only from a known address", () =>
  Effect.gen(function* () {
    yield* failFromOthers(5)
    assert.strictEqual(yield* attempt("olena", "198.51.100.99", right, home), "refused")
    assert.strictEqual(yield* attempt("olena", "192.0.2.1", right, home), "right")
    assert.strictEqual(yield* attempt("olena", "2001:db8:1:2::77", right, home), "right")
    assert.strictEqual(yield* attempt("olena", null, right, home), "refused")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("each known address may fail five times, earlier failures included", () =>
  Effect.gen(function* () {
    yield* times(2, attempt("olena", "192.0.2.1", wrong, home))
    yield* failFromOthers(3)
    assert.deepStrictEqual(yield* times(5, attempt("olena", "192.0.2.1", wrong, home)), [
      "wrong",
      "wrong",
      "wrong",
      "refused",
      "refused"
    ])
    assert.strictEqual(yield* attempt("olena", "192.0.2.1", right, home), "refused")
    assert.strictEqual(yield* attempt("olena", "2001:db8:1:2::1", right, home), "right")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("of fifty concurrent wrong logins from a known address exactly five are checked", () =>
  Effect.gen(function* () {
    yield* failFromOthers(5)
    const all = yield* fiftyInParallel("192.0.2.1", wrong, home)
    assert.lengthOf(
      all.filter((outcome) => outcome === "wrong"),
      5
    )
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("a known address gets no additional attempts for a name that only it has used", () =>
  Effect.gen(function* () {
    const home = ["192.0.2.1"]
    yield* times(5, attempt("olena", "192.0.2.1", wrong, home))
    assert.strictEqual(yield* attempt("olena", "192.0.2.1", right, home), "refused")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("failed logins of one IPv6 network are counted together", () =>
  Effect.gen(function* () {
    for (let i = 0; i < 20; i++) yield* attempt(`name ${i}`, `2001:db8:1:2::${i.toString(16)}`, wrong)
    assert.strictEqual(yield* attempt("olena", "2001:db8:1:2:ffff::1", right), "refused")
    assert.strictEqual(yield* attempt("olena", "2001:db8:1:3::1", right), "right")
  }).pipe(Effect.provide(admissionLayer))
)

it.effect("the oldest failures are evicted above the bound", () =>
  Effect.gen(function* () {
    yield* times(5, attempt("first", null, wrong))
    for (let i = 0; i < 2_000; i++) yield* attempt(`name ${i}`, null, wrong)
    yield* times(5, attempt("last", null, wrong))
    assert.strictEqual(yield* attempt("first", null, right), "right")
    assert.strictEqual(yield* attempt("last", null, right), "refused")
  }).pipe(Effect.provide(Layer.provide(Admission.layer, AdmissionStore.layer(limits, 1_000))))
)

it.effect("logins in flight from one address leave capacity for others", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const logins = Array.from({ length: 300 }, (_, i) =>
      attempt(`name ${i}`, "198.51.100.1", Effect.andThen(Deferred.await(begun), right))
    )
    const flood = yield* Effect.forkChild(Effect.all(logins, { concurrency: "unbounded" }))
    yield* Effect.yieldNow
    assert.strictEqual(yield* attempt("olena", "198.51.100.1", right), "refused")
    assert.strictEqual(yield* attempt("olena", "192.0.2.1", right), "right")
    yield* Deferred.succeed(begun, undefined)
    const outcomes = yield* Fiber.join(flood)
    assert.strictEqual(outcomes.filter((outcome) => outcome === "refused").length, 50)
  }).pipe(Effect.provide(admissionLayer))
)
