// Limits in a real Redis: shared by all processes, equal to those in memory, and no request waits for a Redis that does not answer.
import { assert, describe, it } from "@effect/vitest"
import { TrafficDefaults, type TrafficLimits } from "@rapport/contract/Limits.ts"
import {
  makeBuckets,
  quotaOf,
  RATE_WINDOW_MILLIS,
  AdmissionStore
} from "@rapport/core/traffic/AdmissionStore.ts"
import { Cause, Context, Deferred, Effect, Fiber, Layer, Logger, Redacted, Result, Schema } from "effect"
import * as fc from "fast-check"
import * as fs from "node:fs"
import * as path from "node:path"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { isRedisMissing, startRedis, type RunningRedis } from "../testing/RedisFixtures.ts"
import { makeCertificates } from "../testing/TlsFixtures.ts"
import { takeScript } from "./RateLimitRedis.ts"
import { Redis } from "./Redis.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import * as SharedLimits from "./SharedLimits.ts"

const limits: TrafficLimits = {
  ...TrafficDefaults,
  REST_PER_MINUTE: 6,
  CONTEXT_READS_PER_MINUTE: 1_000_000,
  REST_AT_ONCE: 4,
  REST_AT_ONCE_INSTANCE: 5
}

const settingsOf = ({ port }: RunningRedis, more: Partial<RedisSettings> = {}): RedisSettings => ({
  host: "127.0.0.1",
  port,
  username: undefined,
  password: undefined,
  database: 0,
  tls: false,
  certificates: undefined,
  // Long, because the machine of a test may be busy.
  timeoutMillis: 5_000,
  ...more
})

/** Collects log lines. */
const loggedTo = (lines: Array<string>) =>
  Logger.layer([
    Logger.make(({ cause, message }) => void lines.push(`${String(message)} ${Cause.pretty(cause)}`))
  ])

/** The limits of one process, with its own connection. */
const processOn = (settings: RedisSettings) =>
  Effect.gen(function* () {
    const rates = Layer.fresh(SharedLimits.layer(settings, limits))
    const context = yield* Layer.build(Admission.layer.pipe(Layer.provideMerge(rates)))
    const store = Context.get(context, AdmissionStore)
    const { attemptLogin, within } = Context.get(context, Admission)
    const login = (name: string, address: string | null, password: string | undefined, known = false) =>
      Effect.result(
        attemptLogin(
          { loginKey: name, address, isKnown: Effect.succeed(known) },
          Effect.as(Effect.sleep("20 millis"), password)
        )
      ).pipe(
        Effect.map((result) =>
          Result.isFailure(result) ? "refused" : result.success === undefined ? "wrong" : "right"
        )
      )
    const interruptedLogin = Effect.fnUntraced(function* (loginKey: string) {
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        attemptLogin(
          { loginKey, address: null, isKnown: Effect.succeed(false) },
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        )
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
    })
    return { take: store.takeRate, login, interruptedLogin, within }
  })
type OneProcess = Effect.Success<ReturnType<typeof processOn>>

const isTaken = ({ take }: OneProcess, key: string) =>
  Effect.map(take("REST_PER_MINUTE", key), ({ retryAfterMillis }) => retryAfterMillis === null)
/** Waits until both processes count a new key in one Redis. */
const untilShared = (processes: readonly [OneProcess, OneProcess]) =>
  Effect.gen(function* () {
    for (let i = 0; i < 200; i++) {
      const key = `shared? ${i}`
      yield* processes[0].take("REST_PER_MINUTE", key, 10)
      if ((yield* processes[1].take("REST_PER_MINUTE", key, 0)).wholeAfterMillis > 0) return
      yield* Effect.sleep("50 millis")
    }
    return yield* Effect.die("the processes do not share limits")
  })

const isAdmitted = ({ isAdmitted }: { readonly isAdmitted: boolean }) => isAdmitted

describe.skipIf(isRedisMissing)("limits in Redis", () => {
  it.live("a rate bucket in Redis returns the same quotas as one in memory", () =>
    Effect.gen(function* () {
      const { run } = Context.get(yield* Layer.build(Redis.layer(settingsOf(yield* startRedis()))), Redis)
      const script = takeScript("tonumber(ARGV[4])")
      const decode = Schema.decodeUnknownSync(
        Schema.Tuple([Schema.NumberFromString, Schema.NumberFromString])
      )
      const step = fc.record({
        pause: fc.integer({ min: -500, max: 20_000 }),
        amount: fc.integer({ min: 0, max: 9 })
      })
      const cases = fc.sample(
        fc.tuple(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 25 })),
        40
      )
      for (const [index, [limit, steps]] of cases.entries()) {
        const { take } = makeBuckets(limit)
        let now = Date.now()
        for (const { amount, pause } of steps) {
          now += pause
          const answer = yield* run(script, [`case ${index}`], [RATE_WINDOW_MILLIS, limit, amount, now])
          const [whole, retry] = decode(answer)
          assert.deepStrictEqual(quotaOf(limit, whole, retry < 0 ? null : retry), take("a", amount, now))
        }
      }
    })
  )

  it.live("two processes share concurrency limits of a principal and an instance", () =>
    Effect.gen(function* () {
      const settings = settingsOf(yield* startRedis())
      const both = [yield* processOn(settings), yield* processOn(settings)] as const
      yield* untilShared(both)
      const occupy = Effect.fnUntraced(function* (n: number, user: number) {
        const limits = [
          ["REST_AT_ONCE", `1/user/${user}`],
          ["REST_AT_ONCE_INSTANCE", "1"]
        ] as const
        const [started, ended] = [yield* Deferred.make<boolean>(), yield* Deferred.make<void>()]
        const running = Effect.andThen(Deferred.succeed(started, true), Deferred.await(ended))
        const one = (both[n % 2] ?? both[0]).within(limits)(running)
        const fiber = yield* Effect.forkScoped(Effect.catch(one, () => Deferred.succeed(started, false)))
        const end = Effect.andThen(Deferred.succeed(ended, undefined), Fiber.await(fiber))
        return { isAdmitted: yield* Deferred.await(started), end }
      })
      const mine = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (n) => occupy(n, 1), {
        concurrency: "unbounded"
      })
      assert.lengthOf(mine.filter(isAdmitted), 4)
      const others = [yield* occupy(0, 2), yield* occupy(1, 3)]
      assert.deepStrictEqual(others.map(isAdmitted), [true, false], "five of the instance")
      yield* mine.find(isAdmitted)?.end ?? Effect.void
      assert.isTrue((yield* occupy(0, 3)).isAdmitted)
      assert.isFalse((yield* occupy(1, 3)).isAdmitted, "a refused request releases no slot")
    })
  )

  it.live(
    "two processes share the count of failed logins, also for concurrent attempts, and ignore successes",
    () =>
      Effect.gen(function* () {
        const settings = settingsOf(yield* startRedis())
        const [one, other] = [yield* processOn(settings), yield* processOn(settings)]
        yield* untilShared([one, other])
        const attempts = Array.from({ length: 12 }, (_, i) =>
          (i % 2 === 0 ? one : other).login("олена", `198.51.100.${i}`, undefined)
        )
        const seen = yield* Effect.all(attempts, { concurrency: "unbounded" })
        assert.strictEqual(seen.filter((each) => each === "wrong").length, 5)
        assert.strictEqual(yield* other.login("олена", "10.0.0.1", "right"), "refused")
        // A known pair of name and address has its own counter.
        assert.strictEqual(yield* one.login("олена", "10.0.0.1", "right", true), "right")
        for (let i = 0; i < 6; i++) assert.strictEqual(yield* one.login("olha", null, "right"), "right")
        // An interrupted attempt counts.
        for (let i = 0; i < 5; i++) yield* (i % 2 === 0 ? one : other).interruptedLogin("ольга")
        assert.strictEqual(yield* one.login("ольга", null, "right"), "refused")
      })
  )

  it.live("a stopped Redis delays the first requests by its timeout and then none", () =>
    Effect.gen(function* () {
      const redis = yield* startRedis()
      const settings = settingsOf(redis, { timeoutMillis: 1_000 })
      const both = [yield* processOn(settings), yield* processOn(settings)] as const
      yield* redis.signal("SIGSTOP")
      yield* Effect.all([isTaken(both[0], "first"), isTaken(both[1], "first")])
      // With the timeout for each they would take longer than the timeout of the test.
      for (let i = 0; i < 500; i++) yield* both[0].take("CONTEXT_READS_PER_MINUTE", `${i}`)
      yield* redis.signal("SIGCONT")
      yield* untilShared(both)
    })
  )

  it.live("a start without Redis succeeds within seconds and shares limits when Redis comes", () =>
    Effect.gen(function* () {
      const redis = yield* startRedis()
      yield* redis.signal("SIGKILL")
      const settings = settingsOf(redis, { timeoutMillis: 50 })
      const both = [yield* processOn(settings), yield* processOn(settings)] as const
      assert.isTrue(yield* isTaken(both[0], "1/user/1"))
      yield* redis.start
      yield* untilShared(both)
    })
  )
})

describe.skipIf(isRedisMissing)("a Redis with TLS and a password", () => {
  it.live("a Redis with TLS and a password is used only with the right certificates and password", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const at = (name: string) => path.join(folder, name)
      makeCertificates(folder)
      const certificate = ["--tls-cert-file", at("server.crt"), "--tls-key-file", at("server.key")]
      const redis = yield* startRedis(
        ["--port", "0", ...certificate, "--tls-auth-clients", "no", "--requirepass", "redis-secret"],
        "--tls-port"
      )
      const good = settingsOf(redis, {
        tls: true,
        certificates: fs.readFileSync(at("ca.pem"), "utf8"),
        password: Redacted.make("redis-secret")
      })
      yield* untilShared([yield* processOn(good), yield* processOn(good)])
      const warningOf = Effect.fnUntraced(function* (settings: RedisSettings) {
        const lines: Array<string> = []
        yield* processOn({ ...settings, timeoutMillis: 200 }).pipe(
          Effect.flatMap((one) => isTaken(one, "1/user/1")),
          Effect.provide(loggedTo(lines))
        )
        assert.lengthOf(lines, 1, lines.join("\n"))
        return lines.join()
      })
      const wrongSettings = [
        [{ ...good, certificates: undefined }, "certificate"],
        [{ ...good, password: Redacted.make("another-secret") }, "WRONGPASS"],
        [{ ...good, tls: false }, "ECONNRESET"]
      ] as const
      for (const [settings, reason] of wrongSettings) {
        // On a busy machine a start ends before the handshake, and its warning names no reason.
        const warning = yield* Effect.repeat(Effect.scoped(warningOf(settings)), {
          until: (line) => line.includes(reason),
          times: 30
        })
        assert.include(warning, "Redis is unavailable")
        assert.include(warning, reason)
        assert.notInclude(warning, "secret")
      }
    })
  )
})
