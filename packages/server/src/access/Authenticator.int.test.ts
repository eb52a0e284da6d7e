import { assert, layer } from "@effect/vitest"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { AccessFixtures, password } from "../testing/AccessFixtures.ts"
import { openTransaction } from "../testing/LockWaits.ts"

const answerOf = <A, E extends { readonly code: string; readonly reason?: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? (result.failure.reason ?? result.failure.code) : "OK"
  )
const bearer = (token: string) => answerOf(Effect.flatMap(Authenticator, (a) => a.bearer(token)))
const external = (token: string) => answerOf(Effect.flatMap(Authenticator, (a) => a.external(token)))
const login = (name: string, secret: string) =>
  answerOf(Effect.flatMap(Access, (a) => a.login({ login: name, password: secret })))
const tamperToken = (token: string) =>
  `${token.slice(0, -5)}${token.at(-5) === "A" ? "B" : "A"}${token.slice(-4)}`

/** Runs the effect while PostgreSQL is unreachable: its connections are cut and its socket is renamed. */
const whileUnreachable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const socket = path.join((yield* EmbeddedPostgres).socketDir, ".s.PGSQL.5432")
    return yield* Effect.acquireUseRelease(
      Effect.gen(function* () {
        yield* Effect.sync(() => fs.renameSync(socket, `${socket}.renamed`))
        yield* Effect.ignore(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rapport'
          and backend_type = 'client backend' and pid <> pg_backend_pid()`)
        yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      }),
      () => effect,
      () => Effect.sync(() => fs.renameSync(`${socket}.renamed`, socket))
    )
  })

// contract §1, "A token that is malformed, tampered with or expired is 401 without a query of the database".
layer(AccessFixtures.layer)("authentication without the database", (it) => {
  it.effect("without the database an invalid token is 401 and any other is 503", () =>
    Effect.gen(function* () {
      const { pair, session, user } = yield* AccessFixtures.enter("integrator")
      const made = yield* Effect.flatMap(ExternalTokens, (t) =>
        t.create(session, { name: "CRM", permissions: ["context.read"] }, null)
      )
      const token = made.answer.token ?? ""
      const answers = yield* whileUnreachable(
        Effect.all({
          bearer: bearer(pair.accessToken),
          tampered: bearer(tamperToken(pair.accessToken)),
          malformed: bearer("токен"),
          otherScheme: external(pair.accessToken),
          external: external(token),
          mistyped: external(tamperToken(token)),
          none: external("x"),
          login: Effect.all(Array.from({ length: 6 }, () => login(user.login, "wrong password")))
        })
      )
      assert.deepStrictEqual(answers, {
        bearer: "database_unavailable",
        tampered: "UNAUTHENTICATED",
        malformed: "UNAUTHENTICATED",
        otherScheme: "UNAUTHENTICATED",
        external: "database_unavailable",
        mistyped: "UNAUTHENTICATED",
        none: "UNAUTHENTICATED",
        login: Array(6).fill("database_unavailable")
      })
      // The first request after that succeeds, and the logins that could not be checked were not counted.
      assert.strictEqual(yield* bearer(pair.accessToken), "OK")
      assert.strictEqual(yield* external(token), "OK")
      assert.strictEqual(yield* login(user.login, password), "OK")
    })
  )

  it.effect("without the database an expired token is still reported as expired", () =>
    Effect.gen(function* () {
      const { pair } = yield* AccessFixtures.enter("integrator")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* whileUnreachable(bearer(pair.accessToken)), "UNAUTHENTICATED")
    })
  )

  it.effect("authentication waits two seconds for a database that does not answer", () =>
    Effect.gen(function* () {
      const { pair } = yield* AccessFixtures.enter("integrator")
      const sql = yield* SqlClient.SqlClient
      const unlock = yield* openTransaction(sql`lock table user_access in access exclusive mode`)
      const request = yield* Effect.forkChild(bearer(pair.accessToken))
      let waited = 0
      while (request.pollUnsafe() === undefined && waited < 10_000) {
        yield* TestClock.adjust("100 millis")
        yield* TestClock.withLive(Effect.sleep("5 millis"))
        waited += 100
      }
      const answer = yield* Fiber.join(request)
      yield* unlock
      assert.isAtLeast(waited, 2_000)
      assert.strictEqual(answer, "database_unavailable")
      assert.strictEqual(yield* bearer(pair.accessToken), "OK")
    })
  )
})
