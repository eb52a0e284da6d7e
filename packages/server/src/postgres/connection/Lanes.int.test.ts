// Short reads of many requests on few connections of a real PostgreSQL: none waits for a slow one, none gets another's rows.
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { eventually } from "../../testing/ProjectionFixtures.ts"
import { as, fairPoolOf } from "../../testing/FairPoolFixtures.ts"
import { LANES, LANES_POOL_MIN, shortRead } from "./Lanes.ts"

const pooled = fairPoolOf(LANES_POOL_MIN, { lanes: true })

/** Waits until a lane runs a statement with this text. */
const untilRunning = (text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    eventually(
      sql`select 1 from pg_stat_activity where pid <> pg_backend_pid() and state = 'active' and query like ${`%${text}%`}`,
      (rows) => rows.length > 0
    )
  )

const times = (count: number) => Array.from({ length: count }, (_, n) => n)
const asTenants = times(8).map((n) => as(`instance/${n + 1}`))

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "120 seconds" })("lanes", (it) => {
  it.effect("hundreds of short reads share the lanes, and each gets its own rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* Effect.forEach(
        times(400),
        (n) =>
          (asTenants[n % asTenants.length] ?? as("service"))(
            shortRead(sql<{ n: number; pid: number }>`select ${n}::int as n, pg_backend_pid() as pid`)
          ),
        { concurrency: 200 }
      )
      assert.deepStrictEqual(
        found.map(([row]) => row?.n),
        times(400)
      )
      assert.isAtMost(new Set(found.map(([row]) => row?.pid)).size, LANES)
    }).pipe(Effect.provide(pooled))
  )

  it.effect("a slow read is moved from its lane to the pool and delays no other for long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const slow = yield* Effect.forkChild(shortRead(sql<{ n: number }>`select pg_sleep(4), 7 as n`))
      yield* untilRunning("pg_sleep(4)")
      yield* Effect.forEach(times(50), () => shortRead(sql`select 1`), { concurrency: "unbounded" })
      assert.isUndefined(slow.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(slow))[0]?.n, 7)
    }).pipe(Effect.provide(pooled))
  )

  it.effect("a cancelled read ends immediately, and the reads behind it get their rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table if not exists lane_locked (id int)`
      const unlock = yield* openTransaction(sql`lock table lane_locked in access exclusive mode`)
      const readers = yield* Effect.forEach(times(60), (n) =>
        Effect.forkChild(
          shortRead(sql<{ n: number }>`select ${n}::int as n from (select count(*) from lane_locked) g`)
        )
      )
      yield* untilWaiting
      yield* Fiber.interruptAll(readers.filter((_, n) => n % 2 === 0))
      yield* unlock
      const left = yield* Effect.forEach(
        readers.filter((_, n) => n % 2 === 1),
        Fiber.join
      )
      assert.deepStrictEqual(
        left.map(([row]) => row?.n),
        times(60).filter((n) => n % 2 === 1)
      )
    }).pipe(Effect.provide(pooled))
  )

  it.effect("a tenant with thousands of short reads delays no other tenant", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const noisy = yield* Effect.forkChild(
        as("instance/1")(
          Effect.forEach(times(1_000), () => shortRead(sql`select pg_sleep(0.01)`), {
            concurrency: "unbounded"
          })
        )
      )
      yield* untilRunning("pg_sleep(0.01)")
      for (let n = 0; n < 5; n++) yield* as("instance/2")(shortRead(sql`select 1`))
      // Behind the thousand reads these reads would end after them.
      assert.isUndefined(noisy.pollUnsafe())
      yield* Fiber.interrupt(noisy)
    }).pipe(Effect.provide(pooled))
  )

  it.effect("a short read in a transaction uses its connection and sees its rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table if not exists lane_rows (id int)`
      const counted = yield* sql.withTransaction(
        Effect.andThen(
          sql`insert into lane_rows (id) values (1)`,
          shortRead(sql<{ count: number }>`select count(*)::int as count from lane_rows`)
        )
      )
      assert.strictEqual(counted[0]?.count, 1)
    }).pipe(Effect.provide(pooled))
  )
})
