// One pool for all tenants: a fair share of its connections for each, and a deadline on every wait and every statement;
// with metrics of how many are in use and how many statements wait for one.
import { PgClient, PgPool } from "@effect/sql-pg"
import { abandonAfter } from "@rapport/core/failures/SourceUnavailable.ts"
import { CurrentTenant, type TenantQueue, makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"
import { Clock, Effect, type Layer, Metric, Predicate, type Scope } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { connectionOf, LANES, LANES_POOL_MIN, shortRead, withLanes } from "./Lanes.ts"
import { isConnectionLost } from "../sql/SqlFailure.ts"
import { noAnswer, overdue, STATEMENT_ANSWER_MILLIS_MAX } from "../sql/Overdue.ts"
import { registered } from "../../telemetry/Registered.ts"

/** Of the pool, what one tenant may use; a pool of two is shared whole, since one request may need both. */
const SHARE = 0.75
const SHARE_MIN = 2
/** Statements of one tenant that wait for a connection, and how long each waits. */
const WAITING_MAX = 1_024
const WAIT_MILLIS_MAX = 3_000

export interface FairPoolOptions {
  readonly waitMillis?: number
  readonly statementMillis?: number
  /** Whether short reads travel on lanes, which are taken from the connections of the pool. */
  readonly lanes?: boolean
}

const noConnection = overdue("no connection became free in time")

/** Statements of a transaction, each with its deadline. An abandoned one is cancelled, or ends its connection. */
const answering = (connection: SqlConnection.Connection, millis: number): SqlConnection.Connection => {
  const bounded = abandonAfter(millis, noAnswer)
  return {
    execute: (sql, params, transform) => {
      const answer = bounded(connection.execute(sql, params, transform))
      return undoes.test(sql) ? Effect.catchIf(answer, isGone, () => Effect.succeed([])) : answer
    },
    executeRaw: (sql, params) => bounded(connection.executeRaw(sql, params)),
    executeStream: (sql, params, transform) => connection.executeStream(sql, params, transform),
    executeValues: (sql, params) => bounded(connection.executeValues(sql, params)),
    executeValuesUnprepared: (sql, params) => bounded(connection.executeValuesUnprepared(sql, params)),
    executeUnprepared: (sql, params, transform) =>
      bounded(connection.executeUnprepared(sql, params, transform))
  }
}

/**
 * Statements by which the client leaves a transaction or a savepoint; it takes their failure for a defect. PostgreSQL undoes what a lost
 * connection began, and whatever comes next on it fails as well, so that nothing is taken for written.
 */
const undoes = /^(?:ROLLBACK|RELEASE SAVEPOINT)\b/u
const isGone = (error: SqlError.SqlError): boolean =>
  isConnectionLost(error) || error.reason._tag === "StatementTimeoutError"

/** PostgreSQL answers ROLLBACK to the COMMIT of a transaction that failed. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && Reflect.get(result, "command") === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("the transaction had failed"),
              message: "COMMIT rolled back a transaction that had failed",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

/** A listener keeps a connection of the pool. */
const listening =
  ({ reserve }: PgPool.PgPool, permits: TenantQueue<SqlError.SqlError>): PgClient.PgClient["listen"] =>
  (channel) =>
    Effect.flatMap(CurrentTenant, (tenant) =>
      Effect.andThen(
        permits.scoped(tenant),
        Effect.flatMap(reserve, (connection) => connection.listen(channel))
      )
    )

const make = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig, options: FairPoolOptions) {
  const connectionsMax = config.maxConnections ?? SHARE_MIN
  const hasLanes = options.lanes === true && connectionsMax >= LANES_POOL_MIN
  const connections = hasLanes ? connectionsMax - LANES : connectionsMax
  // The client of the driver, which opens no connection: its pool does not show whose process a backend is.
  const base = yield* PgClient.make(config)
  const pool = yield* PgPool.make({ ...config, maxConnections: connections })
  const statementMillis = options.statementMillis ?? STATEMENT_ANSWER_MILLIS_MAX
  const waitMillis = options.waitMillis ?? WAIT_MILLIS_MAX
  const permits = makeTenantQueue(
    {
      permits: connections,
      share: Math.min(connections, Math.max(SHARE_MIN, Math.floor(connections * SHARE))),
      waitingMax: WAITING_MAX,
      waitMillis
    },
    noConnection
  )
  const use = yield* poolUse(connections)
  const leaving = makeLeaving(() => client)
  const reserve = Effect.map(pool.get, connectionOf).pipe(
    Effect.catch(leaving.refused<SqlError.SqlError>),
    Effect.tap(leaving.lastUse)
  )
  const acquirer = Effect.flatMap(CurrentTenant, (tenant) =>
    Effect.andThen(
      use.scoped(permits.scoped(tenant)),
      Effect.timeoutOrElse(reserve, {
        duration: statementMillis,
        orElse: noAnswer
      })
    )
  ).pipe(Effect.map((connection) => answering(connection, statementMillis)))
  // The place is given back when the connection is, which an abandoned statement may keep for some seconds more.
  const onPool: SqlConnection.Borrower = (run) =>
    Effect.flatMap(CurrentTenant, (tenant) =>
      use
        .within((inUse) => permits.within(tenant, inUse(Effect.scoped(Effect.flatMap(reserve, run)))))
        .pipe(abandonAfter(waitMillis + statementMillis, noAnswer))
    )
  const borrower = hasLanes
    ? yield* withLanes(
        config,
        { waitMillis, answerMillis: statementMillis },
        noConnection,
        leaving.refused,
        onPool
      )
    : onPool
  const client: SqlClient.SqlClient = yield* SqlClient.make({
    acquirer,
    borrower,
    transactionAcquirer: acquirer,
    compiler: PgClient.makeCompiler(),
    driver: base.driver,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { [PgClient.TypeId]: typeId, config: shown, json } = base
  return Object.assign(client, {
    [PgClient.TypeId]: typeId,
    config: shown,
    json,
    listen: listening(pool, permits),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
})

/** As `PgClient.layer`, shared fairly between the tenants that `CurrentTenant` names. */
export const fairPoolLayer = (
  config: PgClient.PgPoolConfig,
  options: FairPoolOptions = {}
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layerFrom(make(config, options))

const sizeGauge = Metric.gauge("rapport.pool.connections", {
  description: "connections that the pool may have"
})
const inUseGauge = Metric.gauge("rapport.pool.in_use", { description: "connections that are in use" })
const waitingGauge = Metric.gauge("rapport.pool.waiting", {
  description: "statements and transactions that wait for a connection"
})

interface PoolUse {
  /** Around one that waits, then runs. */
  readonly within: <A, E, R>(
    make: (
      inUse: <A1, E1, R1>(effect: Effect.Effect<A1, E1, R1>) => Effect.Effect<A1, E1, R1>
    ) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Around what waits for a place that is held until the scope ends. */
  readonly scoped: <A, E, R>(place: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Scope.Scope>
}

const poolUse = Effect.fnUntraced(function* (size: number): Effect.fn.Return<PoolUse, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  let [waiting, inUse] = [0, 0]
  yield* registered(sizeGauge, context, () => ({ value: size }))
  yield* registered(inUseGauge, context, () => ({ value: inUse }))
  yield* registered(waitingGauge, context, () => ({ value: waiting }))
  const running = around(
    () => {
      waiting--
      inUse++
    },
    () => {
      waiting++
      inUse--
    }
  )
  const queued = around(
    () => void waiting++,
    () => void waiting--
  )
  const held = Effect.acquireRelease(
    Effect.sync(() => void inUse++),
    () => Effect.sync(() => void inUse--)
  )
  return {
    within: (make) => queued(make(running)),
    scoped: (place) => Effect.tap(queued(place), () => held)
  }
})

const around = (enter: () => void, leave: () => void) => {
  const leaving = Effect.sync(leave)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      enter()
      return Effect.ensuring(effect, leaving)
    })
}

const CANNOT_CONNECT_NOW = "57P03"
const isRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  Predicate.hasProperty(error.reason.cause, "code") &&
  error.reason.cause.code === CANNOT_CONNECT_NOW

/** How often idle connections are ended, and for how long after a refusal a connection is used once. */
const LEAVE_MILLIS = 1_000
const LEAVING_MILLIS = 5_000

/**
 * A PostgreSQL that was asked to end when its clients have gone (mode smart, the SIGTERM of some orchestrators) refuses new
 * connections meanwhile. A pool never goes by itself, so it goes when a new connection is refused.
 */
const makeLeaving = (client: () => SqlClient.SqlClient) => {
  let [leftAt, refusedAt] = [-Infinity, -Infinity]
  const leave = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    refusedAt = now
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
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now - refusedAt > LEAVING_MILLIS
        ? Effect.void
        : Effect.addFinalizer(() =>
            Effect.ignore(connection.executeRaw("select pg_terminate_backend(pg_backend_pid())", []))
          )
    )
  return { refused, lastUse }
}

/** Ends its own connection last. */
const endIdle = (sql: SqlClient.SqlClient) =>
  sql`select pg_terminate_backend(ended.pid) from (select activity.pid from pg_stat_activity activity
    where activity.usename = current_user and activity.datname = current_database()
      and activity.application_name = current_setting('application_name')
      and (activity.state = 'idle' or activity.pid = pg_backend_pid())
    order by activity.pid = pg_backend_pid() offset 0) ended`
