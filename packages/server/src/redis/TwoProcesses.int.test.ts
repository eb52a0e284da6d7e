// Two processes of the service on one database and one Redis share rates, concurrency limits and failed logins.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as net from "node:net"
import { isRedisMissing, startRedis } from "../testing/RedisFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"

const startedWith = (redisUrl: string) =>
  startOnShared({
    REDIS_URL: redisUrl,
    RAPPORT_REDIS_TIMEOUT_MS: "5000",
    // One request more every 15 s, so that a slow machine does not change the count.
    RAPPORT_LIMIT_REST_PER_MINUTE: "4",
    RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE: "1"
  })
type Started = Effect.Success<ReturnType<typeof startedWith>>

/** Statuses of so many parallel reads, alternately to each process. */
const statusesOf = (processes: ReadonlyArray<Started>, token: string, times: number) =>
  Effect.promise(() =>
    Promise.all(
      Array.from({ length: times }, async (_, i) => {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await processes[i % processes.length]?.call("/kw/api/v1/auth/me", { headers })
        return answer?.status
      })
    )
  )
const countOf = (statuses: ReadonlyArray<unknown>, status: number) =>
  statuses.filter((one) => one === status).length

const failedLogin = (one: Started) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const body = '{"login":"supervisor","password":"wrong-wrong"}'
    return (await one.call("/kw/api/v1/auth/login", { method: "POST", headers, body })).status
  })

const READ = "/kw/chatrooms/context/retrieve"
/** A read whose body never ends, so that it keeps its slot until its process dies. */
const hangingRead = (one: Started, token: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { hostname, port } = new URL(one.origin)
      const socket = net.connect(Number(port), hostname).on("error", () => undefined)
      const head = [`POST ${READ} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`, "Content-Length: 9"]
      let isAnswered = false
      socket.once("data", () => (isAnswered = true))
      socket.write(`${[...head, "Content-Type: application/json"].join("\r\n")}\r\n\r\n{`)
      return { socket, isAnswered: () => isAnswered }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
const hasSlot = (one: Started, token: string) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
    const body = JSON.stringify({ scope: { entity: "client", id: 501 }, actions: {} })
    return (await one.call(READ, { method: "POST", headers, body })).status !== 429
  })

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "two processes",
  (it) => {
    it.effect.skipIf(isRedisMissing)(
      "two processes share every limit through Redis, and answer without it",
      () =>
        Effect.gen(function* () {
          const redis = yield* startRedis(["--requirepass", "redis-secret"])
          const url = `redis://:redis-secret@127.0.0.1:${redis.port}/3`
          const both = yield* Effect.all([startedWith(url), startedWith(url)], { concurrency: 2 })
          const [one, other] = both
          const token = yield* Effect.promise(() => one.tokenOf("operator"))
          const shared = yield* statusesOf(both, token, 24)
          assert.strictEqual(countOf(shared, 200), 4)
          assert.strictEqual(countOf(shared, 429), 20)

          const failed = [one, other, one, other, one].map(failedLogin)
          assert.deepStrictEqual(yield* Effect.all(failed), [401, 401, 401, 401, 401])
          assert.strictEqual(yield* failedLogin(other), 429)

          yield* redis.signal("SIGKILL")
          const administrator = yield* Effect.promise(() => other.tokenOf("administrator"))
          const separate = yield* statusesOf(both, administrator, 40)
          assert.strictEqual(countOf(separate, 200), 8, "each process counts separately")
          assert.strictEqual(countOf(separate, 429), 32)
          for (const { process } of both) {
            yield* Effect.promise(() => process.logs(/Redis is unavailable/u))
            assert.notInclude(process.stderr + process.stdout, "redis-secret")
            assert.notInclude(process.stderr, "has no effect")
            assert.lengthOf(process.stderr.match(/limits are shared through Redis/gu) ?? [], 1)
          }

          yield* redis.start
          for (const { process } of both)
            yield* Effect.promise(() => process.logs(/(?:limits are shared through Redis[^]*){2}/u))
          // A read through the other process may take the only slot before this one arrives.
          let hanging = yield* hangingRead(one, administrator)
          const found = Effect.gen(function* () {
            if (hanging.isAnswered()) hanging = yield* hangingRead(one, administrator)
            return yield* hasSlot(other, administrator)
          })
          yield* eventually(found, (has) => !has)
          one.process.signal("SIGKILL")
          yield* eventually(hasSlot(other, administrator), (has) => has)
        })
    )
  }
)
