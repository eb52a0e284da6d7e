// One pool for all tenants: a fair share of its connections for each, timeouts for every wait and statement, and metrics.
import { PgClient, PgPool } from "@effect/sql-pg"
import { abandonAfter } from "@rapport/core/failures/SourceUnavailable.ts"
import { CurrentTenant, type TenantQueue, makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"
import { Effect, type Layer, Metric } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { connectionOf, LANES, LANES_POOL_MIN, withLanes } from "./Lanes.ts"
import { isConnectionLost } from "../sql/SqlFailure.ts"
import { noAnswer, overdue, STATEMENT_ANSWER_MILLIS_MAX } from "../sql/Overdue.ts"
import { registerMetric } from "../../telemetry/MetricRegistration.ts"

/** The share of the pool that one tenant may use. One request may need two connections. */
const SHARE = 0.75
const SHARE_MIN = 2
/** The queue of one tenant, and the longest wait in it. */
const WAITING_MAX = 1_024
const WAIT_MILLIS_MAX = 3_000

export interface FairPoolOptions {
  readonly waitMillis?: number
  readonly statementMillis?: number
  /** Whether some connections of the pool become lanes for short reads. */
  readonly lanes?: boolean
}

const noConnection = overdue("no connection became free in time")

/** Adds a timeout to each statement of a transaction. An abandoned statement is cancelled, or its connection is closed. */
const withStatementTimeout = (
  connection: SqlConnection.Connection,
  millis: number
): SqlConnection.Connection => {
  const bounded = abandonAfter(millis, noAnswer)
  return {
    execute: (sql, params, transform) => {
      const answer = bounded(connection.execute(sql, params, transform))
      return rollbackStatement.test(sql)
        ? Effect.catchIf(answer, isLostOrOverdue, () => Effect.succeed([]))
        : answer
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
 * Statements that end a transaction or a savepoint. The client treats their failure as a defect, but PostgreSQL rolls back the
 * transaction of a lost connection, and later statements on it fail.
 */
const rollbackStatement = /^(?:ROLLBACK|RELEASE SAVEPOINT)\b/u
const isLostOrOverdue = (error: SqlError.SqlError): boolean =>
  isConnectionLost(error) || error.reason._tag === "StatementTimeoutError"

/** PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK. */
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

/** A listener occupies a connection of the pool. */
const makeListen =
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
  // Opens no connection. Its own pool does not report process ids of backends.
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
  yield* reportUse(connections, permits)
  const reserve = Effect.map(pool.get, connectionOf)
  const acquirer = Effect.flatMap(CurrentTenant, (tenant) =>
    Effect.andThen(
      permits.scoped(tenant),
      Effect.timeoutOrElse(reserve, {
        duration: statementMillis,
        orElse: noAnswer
      })
    )
  ).pipe(Effect.map((connection) => withStatementTimeout(connection, statementMillis)))
  // The permit is released with the connection, which an abandoned statement may occupy for some seconds.
  const onPool: SqlConnection.Borrower = (run) =>
    Effect.flatMap(CurrentTenant, (tenant) =>
      abandonAfter(
        waitMillis + statementMillis,
        noAnswer
      )(permits.within(tenant, Effect.scoped(Effect.flatMap(reserve, run))))
    )
  const borrower = hasLanes
    ? yield* withLanes(config, { waitMillis, answerMillis: statementMillis }, noConnection, onPool)
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
    listen: makeListen(pool, permits),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
})

/** `PgClient.layer`, shared fairly by the tenants of `CurrentTenant`. */
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

/** Reports the size and the use of the pool until the scope ends. */
const reportUse = Effect.fnUntraced(function* (size: number, { usage }: TenantQueue<SqlError.SqlError>) {
  const context = yield* Effect.context<never>()
  yield* registerMetric(sizeGauge, context, () => ({ value: size }))
  yield* registerMetric(inUseGauge, context, () => ({ value: usage().taken }))
  yield* registerMetric(waitingGauge, context, () => ({ value: usage().waiting }))
})
