// Waits of statements for locks, which tests of what happens at once bring about.
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { selectedCount } from "../postgres/sql/Query.ts"

/** Until a statement waits for a lock; one that does not wait at all has come before or will come after. */
export const untilWaiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let look = 0; look < 60; look++) {
    const waiting = yield* selectedCount(sql`select count(*)::float8 as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`)
    if (waiting > 0) return
    yield* Effect.sleep("5 millis")
  }
})

/** A transaction that stops before its end; gives what ends it. */
export const stopped = Effect.fnUntraced(function* (statements: Effect.Effect<unknown, SqlError.SqlError>) {
  const sql = yield* SqlClient.SqlClient
  const [isThere, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = Effect.andThen(
    Effect.andThen(statements, Deferred.succeed(isThere, undefined)),
    Deferred.await(mayEnd)
  )
  const running = yield* Effect.forkChild(sql.withTransaction(steps))
  yield* Deferred.await(isThere)
  return Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.join(running))
})

/**
 * How many deadlocks PostgreSQL has ended in this database. A session reports its own when it ends, so this ends all others: no
 * statement can follow on the connections of the test.
 */
export const deadlocksSoFar = Effect.gen(function* () {
  const postgres = yield* EmbeddedPostgres
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    return yield* selectedCount(
      sql`select deadlocks::float8 as count from pg_stat_database where datname = current_database()`
    )
  }).pipe(Effect.provide(commandLayer(postgres), { local: true }))
})
