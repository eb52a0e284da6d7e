// A real pool shared by tenants, and a PostgreSQL that stops answering (contract §10).
import { assert, layer } from "@effect/vitest"
import type { TenantKey } from "@rapport/core/traffic/TenantQueue.ts"
import { Effect, Exit, Fiber, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { as, fairPoolOf } from "../../testing/FairPoolFixtures.ts"
import type { FairPoolOptions } from "./FairPool.ts"

const CONNECTIONS = 8
const shortened = { waitMillis: 2_000, statementMillis: 60_000 }

const poolOf = (options: FairPoolOptions) => fairPoolOf(CONNECTIONS, options)
const [noisy, quiet]: [TenantKey, TenantKey] = ["instance/1", "instance/2"]

const measure = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    const exit = yield* Effect.exit(effect)
    return { exit, millis: performance.now() - start }
  })

const reasonOf = (exit: Exit.Exit<unknown, SqlError.SqlError>): string => {
  const error = Exit.isFailure(exit)
    ? exit.cause.reasons.find((one) => one._tag === "Fail")?.error
    : undefined
  return error?.reason._tag ?? "none"
}

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "120 seconds" })(
  "a fair pool",
  (it) => {
    it.effect("a tenant with long statements on all its connections does not delay others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const long = Effect.forEach(Array.from({ length: 40 }), () => sql`select pg_sleep(0.5)`, {
          concurrency: "unbounded"
        })
        const fiber = yield* Effect.forkChild(as(noisy)(long))
        const active = as(quiet)(
          sql<{
            count: number
          }>`select count(*)::int4 as count from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
        )
        yield* Effect.repeat(active, {
          until: ([row]) => row?.count === CONNECTIONS * 0.75,
          schedule: Schedule.spaced("20 millis")
        })
        for (let n = 0; n < 5; n++) yield* as(quiet)(sql`select 1`)
        // Behind the forty statements these reads would end after them.
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(poolOf({})))
    )

    it.effect("a wait for a connection has a deadline", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const fiber = yield* Effect.forkChild(
          as(noisy)(
            Effect.forEach(Array.from({ length: 6 }), () => sql`select pg_sleep(50)`, { concurrency: 6 })
          )
        )
        yield* Effect.sleep("50 millis")
        const { exit, millis } = yield* measure(as(noisy)(sql`select 1`))
        assert.strictEqual(reasonOf(exit), "StatementTimeoutError")
        assert.isAtLeast(millis, shortened.waitMillis - 50)
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(poolOf(shortened)))
    )
  }
)
