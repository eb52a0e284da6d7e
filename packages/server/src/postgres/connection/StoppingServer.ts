// A PostgreSQL that was asked to end when its clients have gone (mode smart, the SIGTERM of some orchestrators) refuses new
// connections meanwhile. A pool never goes by itself, so it goes when a new connection is refused.
import { Clock, Effect, Predicate } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { shortRead } from "./Lanes.ts"

const CANNOT_CONNECT_NOW = "57P03"
const isRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  Predicate.hasProperty(error.reason.cause, "code") &&
  error.reason.cause.code === CANNOT_CONNECT_NOW

const LEAVE_MILLIS = 1_000

/**
 * For what fails while it may have opened a connection: fails as before, and where the server takes none any more, connections of our
 * role that wait for a statement are ended beside it. What runs ends first. Once a second at most.
 */
export const makeLeaving = (client: () => SqlClient.SqlClient) => {
  let leftAt = 0
  return <E>(error: E): Effect.Effect<never, E> => {
    if (!isRefused(error)) return Effect.fail(error)
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - leftAt >= LEAVE_MILLIS) {
        leftAt = now
        const sql = client()
        yield* Effect.forkDetach(Effect.ignore(Effect.catch(shortRead(endIdle(sql)), () => endIdle(sql))))
      }
      return yield* Effect.fail(error)
    })
  }
}

/** The connection that asks is ended last. */
const endIdle = (sql: SqlClient.SqlClient) =>
  sql`select pg_terminate_backend(ended.pid) from (select activity.pid from pg_stat_activity activity
    where activity.usename = current_user and activity.datname = current_database()
      and (activity.state = 'idle' or activity.pid = pg_backend_pid())
    order by activity.pid = pg_backend_pid() offset 0) ended`
