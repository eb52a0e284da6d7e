// Transactions that wait for locks of other transactions, for tests of concurrent writes.
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { selectedCount } from "../postgres/sql/Query.ts"

/** Waits until a statement waits for a lock; at most 0.3 s, because the statement may not need the lock. */
export const untilWaiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let look = 0; look < 60; look++) {
    const waiting = yield* selectedCount(sql`select count(*)::float8 as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`)
    if (waiting > 0) return
    yield* Effect.sleep("5 millis")
  }
})

/** Runs statements in a transaction that stays open. Returns the effect that runs `last` and commits. */
export const openTransaction = Effect.fnUntraced(function* (
  statements: Effect.Effect<unknown, SqlError.SqlError>,
  last: Effect.Effect<unknown, SqlError.SqlError> = Effect.void
) {
  const sql = yield* SqlClient.SqlClient
  const [hasRun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = [statements, Deferred.succeed(hasRun, undefined), Deferred.await(mayEnd), last]
  const running = yield* Effect.forkChild(
    sql.withTransaction(Effect.forEach(steps, (step) => step, { discard: true }))
  )
  yield* Deferred.await(hasRun)
  return Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.join(running))
})

/**
 * Number of deadlocks in this database. Sessions report theirs when they end, so this ends all other sessions: the test must not
 * use its connections afterwards.
 */
export const countDeadlocks = Effect.gen(function* () {
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
