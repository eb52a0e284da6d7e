// Two processes behind a balancer are restarted one after the other under load, and their token keys are rotated: no request
// fails, no write is lost or doubled, no session ends (contract §11; docs/operations.md, "Upgrade").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as http from "node:http"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { runProgram } from "../testing/ServerFixtures.ts"
import { SharedDatabase, SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"
import { login, send } from "../testing/WriterFixtures.ts"

/** Sends the request to each backend at most once. */
const passToAny = (
  [backend, ...others]: ReadonlyArray<string>,
  request: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse
): void => {
  if (backend === undefined) return void response.writeHead(502).end()
  const passed = http.request(
    backend + (request.url ?? ""),
    { method: request.method, headers: { ...request.headers, connection: "close" }, agent: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }
  )
  passed.on("error", () => {
    if (response.headersSent) response.destroy()
    else passToAny(others, request, body, response)
  })
  passed.end(body)
}

/** Like nginx with `proxy_next_upstream error`: a request that no backend answered goes to the next backend. */
const balancer = Effect.gen(function* () {
  const origins: Array<string> = []
  let turn = 0
  const server = http.createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const first = turn++ % Math.max(1, origins.length)
      const order = [...origins.slice(first), ...origins.slice(0, first)]
      passToAny(order, request, Buffer.concat(pieces), response)
    })
  })
  return { origins, origin: `http://127.0.0.1:${yield* listenOnLoopback(server)}` }
})

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64url")
const [OLD, NEW] = [keyOf(7), keyOf(9)]

const startBackend = (keys: string) => startOnShared({ RAPPORT_TOKEN_KEYS: keys })

const logIn = (origin: string) => Effect.promise(() => login(origin, "administrator"))
const meStatus = (origin: string, token: string) =>
  Effect.promise(async () => (await send(origin, token, { path: "/kw/api/v1/auth/me" })).status)

const action = { type: "rolling.restart", occurredAt: "2026-01-01T00:00:00Z", actorType: "system" }

/** Reads and writes alternately until it is stopped; records every failed answer. */
const load = (origin: string, token: string) => {
  const seen = { failures: new Array<string>(), requests: 0, written: 0, isStopped: false }
  const one = async (worker: number) => {
    for (let i = 0; !seen.isStopped; i++) {
      const isWrite = i % 2 === worker % 2
      const request = isWrite
        ? { path: "/kw/clients/501/context/actions", key: randomUUID(), body: action }
        : { path: "/kw/api/v1/clients/501" }
      const answer = await send(origin, token, request).catch(String)
      seen.requests++
      if (typeof answer === "string") seen.failures.push(answer)
      else if (answer.status >= 400) seen.failures.push(`${answer.status} ${answer.text}`)
      else if (isWrite) seen.written++
    }
  }
  const done = Promise.all([0, 1, 2, 3].map(one))
  return { seen, stop: () => ((seen.isStopped = true), done) }
}

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "240 seconds" })(
  "two processes behind a balancer",
  (it) => {
    it.effect(
      "two processes are restarted one by one without a failed request while the keys change",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { origin, origins } = yield* balancer
          const backends = [yield* startBackend(OLD), yield* startBackend(OLD)]
          origins.push(...backends.map((one) => one.origin))
          const before = yield* logIn(origin)
          const { seen, stop } = load(origin, before.accessToken)
          // First both learn the new key, then the new one signs, then the old one goes: three rounds of restarts.
          const rounds = [`${OLD},${NEW}`, `${NEW},${OLD}`]
          for (const keys of rounds) {
            for (let i = 0; i < 2; i++) {
              const next = yield* startBackend(keys)
              const old = origins[0] ?? ""
              origins.push(next.origin)
              const at = backends.findIndex((one) => one.origin === old)
              // The ending process still gets requests: it answers them while draining, or the balancer sends them to the other.
              assert.strictEqual((yield* (backends[at] ?? next).process.stop()).code, 0)
              origins.splice(origins.indexOf(old), 1)
              backends[at] = next
            }
          }
          const after = yield* logIn(origin)
          yield* Effect.promise(stop)
          assert.deepStrictEqual(seen.failures, [], `${seen.failures.length} of ${seen.requests} failed`)
          assert.isAbove(seen.requests, 100)
          const stored =
            yield* sql`select count(*)::int4 as count from client_actions where type = 'rolling.restart'`
          assert.deepStrictEqual(stored, [{ count: seen.written }])

          // Both tokens are valid while both keys are. Without the old key, the tokens that it signed are invalid.
          for (const { origin } of backends) {
            assert.strictEqual(yield* meStatus(origin, before.accessToken), 200)
            assert.strictEqual(yield* meStatus(origin, after.accessToken), 200)
          }
          const last = yield* startBackend(NEW)
          assert.strictEqual(yield* meStatus(last.origin, before.accessToken), 401)
          assert.strictEqual(yield* meStatus(last.origin, after.accessToken), 200)
          // Sessions from before the change go on: refresh tokens depend on no key.
          const refreshed = yield* Effect.promise(() =>
            fetch(`${last.origin}/kw/api/v1/auth/refresh`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ refreshToken: before.refreshToken })
            })
          )
          assert.strictEqual(refreshed.status, 200)
        }),
      240_000
    )

    it.effect(
      "two processes keep running while a later version migrates the database",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { environment } = yield* SharedDatabase
          const { origin } = yield* startBackend(NEW)
          const { accessToken } = yield* logIn(origin)
          // What the first process of a later version does: it adds something, and says so.
          yield* sql`alter table client_actions add column of_tomorrow text`
          yield* sql`insert into migrations (migration_id, name) values (9000, 'of_tomorrow')`
          const { seen, stop } = load(origin, accessToken)
          const refused = yield* runProgram(["serve"], {
            ...environment,
            RAPPORT_TOKEN_KEYS: NEW,
            PORT: "0",
            RAPPORT_DATA_DIR: yield* temporaryFolder
          })
          yield* Effect.promise(stop)
          assert.deepInclude(refused, { code: 1, stdout: "" })
          assert.include(refused.stderr.trimEnd().split("\n").at(-1) ?? "", "9000_of_tomorrow")
          assert.deepStrictEqual(seen.failures, [])
          assert.isAbove(seen.written, 0)
          assert.strictEqual((yield* Effect.promise(() => fetch(`${origin}/health/ready`))).status, 200)
        }),
      120_000
    )
  }
)
