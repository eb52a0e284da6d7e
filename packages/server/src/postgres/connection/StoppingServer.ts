// A PostgreSQL that was asked to end when its clients have gone (mode smart, the SIGTERM of some orchestrators) refuses new
// connections meanwhile. A pool never goes by itself, so it goes when a new connection is refused.
import { Effect, Predicate, type Scope } from "effect"
import { type SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { shortRead } from "./Lanes.ts"

const CANNOT_CONNECT_NOW = "57P03"
const isRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  Predicate.hasProperty(error.reason.cause, "code") &&
  error.reason.cause.code === CANNOT_CONNECT_NOW

/** How often idle connections are ended, and for how long after a refusal a connection is used once. */
const LEAVE_MILLIS = 1_000
const LEAVING_MILLIS = 5_000

export const makeLeaving = (client: () => SqlClient.SqlClient) => {
  let [leftAt, refusedAt] = [-Infinity, -Infinity]
  const leave = Effect.suspend(() => {
    refusedAt = performance.now()
    if (refusedAt - leftAt < LEAVE_MILLIS) return Effect.void
    leftAt = refusedAt
    const sql = client()
    return Effect.forkDetach(Effect.ignore(Effect.catch(shortRead(endIdle(sql)), () => endIdle(sql))))
  })
  /**
   * For what fails while it may have opened a connection: fails as before, and where the server takes none any more, connections
   * of this service that wait for a statement are ended beside it. What runs ends first.
   */
  const refused = <E>(error: E): Effect.Effect<never, E> =>
    isRefused(error) ? Effect.andThen(leave, Effect.fail(error)) : Effect.fail(error)
  /** A connection of a pool: ended after its use where the server takes no others, for under load none of them is ever idle. */
  const lastUse = (connection: SqlConnection.Connection): Effect.Effect<void, never, Scope.Scope> =>
    performance.now() - refusedAt > LEAVING_MILLIS
      ? Effect.void
      : Effect.addFinalizer(() =>
          Effect.ignore(connection.executeRaw("select pg_terminate_backend(pg_backend_pid())", []))
        )
  return { refused, lastUse }
}

/** The connection that asks is ended last. */
const endIdle = (sql: SqlClient.SqlClient) =>
  sql`select pg_terminate_backend(ended.pid) from (select activity.pid from pg_stat_activity activity
    where activity.usename = current_user and activity.datname = current_database()
      and activity.application_name = current_setting('application_name')
      and (activity.state = 'idle' or activity.pid = pg_backend_pid())
    order by activity.pid = pg_backend_pid() offset 0) ended`
