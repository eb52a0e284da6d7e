// Lanes: few connections on which short reads of many requests are pipelined.
import { PgConnection, PgPool } from "@effect/sql-pg"
import { abandonAfter } from "@rapport/core/failures/SourceUnavailable.ts"
import { makeTenantQueue, CurrentTenant } from "@rapport/core/traffic/TenantQueue.ts"
import { Context, Effect, Predicate, type Scope } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { isConnectionLost } from "../sql/SqlFailure.ts"
import { noAnswer, STATEMENT_ANSWER_MILLIS_MAX } from "../sql/Overdue.ts"

/** Whether a statement may share a connection. */
const ShortRead = Context.Reference<boolean>("server/postgres/ShortRead", { defaultValue: () => false })

/** Waits for the end of the event-loop turn, so that statements of one turn are sent in one write. */
const makeTurnEnd = (): Effect.Effect<void> => {
  let waiting: Array<() => void> = []
  const resumeAll = () => {
    const all = waiting
    waiting = []
    for (const resume of all) resume()
  }
  return Effect.callback((resume) => {
    if (waiting.push(() => resume(Effect.void)) === 1) setImmediate(resumeAll)
  })
}
const turnEnd = makeTurnEnd()

/** Retries a read once, because the first use of a lost connection fails. */
export const retryOnLostConnection = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> => Effect.catchIf(read, isConnectionLost, () => read)

/**
 * For a statement that reads a few rows by their keys: it may be pipelined, where it cannot be cancelled separately. The server
 * cancels a slow one, which then runs on the pool. The deadline is the caller's.
 */
export const shortRead = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> => Effect.provideService(retryOnLostConnection(read), ShortRead, true)

const inTime = abandonAfter(STATEMENT_ANSWER_MILLIS_MAX, noAnswer)
/** `shortRead` with a timeout, for a caller without a deadline. */
export const shortReadInTime = <A>(read: Effect.Effect<A, SqlError.SqlError>) => inTime(shortRead(read))

/** Connections of the pool that become lanes. A smaller pool has no lanes. */
export const LANES = 4
export const LANES_POOL_MIN = 12
/** A lane with so many statements in flight is not chosen while another one has fewer. */
const LANE_FULL = 3
/**
 * Statements in flight on one lane. With fewer, a burst would queue, because the answers of a lane are read once in a turn of the event
 * loop.
 */
const DEPTH = 16
const SHARE = 0.75
const WAITING_MAX = 1_024
/** The server cancels a statement that delays those behind it for so long. */
const STATEMENT_MILLIS_MAX = 200

type Borrow = SqlConnection.Borrower

interface Lane {
  readonly pool: PgPool.PgPool
  /** Statements to be sent at the end of this turn of the event loop. */
  queued: number
  inFlight: number
}

/**
 * The first lane that is not full, otherwise the one with the fewest statements. Statements of one turn share a lane and a write, which
 * wakes one backend. Later ones wake another, so that both cores are busy.
 */
const laneOf = (lanes: ReadonlyArray<Lane>): Lane =>
  lanes.find(({ queued, inFlight }) => inFlight < LANE_FULL && queued < DEPTH) ??
  lanes.reduce((least, lane) => (lane.queued + lane.inFlight < least.queued + least.inFlight ? lane : least))

/** A statement on a lane, from the choice of the lane to the answer. */
class LaneStatement {
  readonly lane: Lane
  #isSent = false

  constructor(lane: Lane) {
    this.lane = lane
    lane.queued++
  }

  send(): void {
    this.#isSent = true
    this.lane.queued--
    this.lane.inFlight++
  }

  end(): void {
    if (this.#isSent) this.lane.inFlight--
    else this.lane.queued--
  }
}

/** Sends short reads on lanes. `pool` runs all other statements, and those that were cancelled on a lane. */
export const withLanes = Effect.fnUntraced(function* (
  config: PgPool.Config,
  limits: { readonly waitMillis: number; readonly answerMillis: number },
  overdue: Effect.Effect<never, SqlError.SqlError>,
  pool: Borrow
): Effect.fn.Return<Borrow, SqlError.SqlError, Scope.Scope> {
  const lane = Effect.map(
    PgPool.make({
      ...config,
      maxConnections: 1,
      multiplex: true,
      multiplexConcurrency: DEPTH,
      startupParameters: { ...config.startupParameters, statement_timeout: String(STATEMENT_MILLIS_MAX) }
    }),
    (pool): Lane => ({ pool, queued: 0, inFlight: 0 })
  )
  const lanes = yield* Effect.replicateEffect(lane, LANES)
  const places = LANES * DEPTH
  const permits = makeTenantQueue(
    {
      permits: places,
      share: Math.floor(places * SHARE),
      waitingMax: WAITING_MAX,
      waitMillis: limits.waitMillis
    },
    overdue
  )

  const watched = new Set<PgConnection.PgConnection>()
  /** The statement of an interrupted reader stays on the lane. A lane that does not finish it in time is closed. */
  const watch = ({ pool }: Lane, connection: PgConnection.PgConnection) =>
    Effect.suspend(() => {
      if (watched.has(connection)) return Effect.void
      watched.add(connection)
      return connection.query("select 1").pipe(
        Effect.timeoutOrElse({
          duration: limits.answerMillis,
          orElse: () => pool.invalidate(connection)
        }),
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => watched.delete(connection)))
      )
    })
  const statement = Effect.sync(() => new LaneStatement(laneOf(lanes)))

  return (use) =>
    Effect.flatMap(ShortRead, (isShort) => {
      if (!isShort) return pool(use)
      const onLane = Effect.flatMap(CurrentTenant, (tenant) =>
        permits.within(
          tenant,
          Effect.acquireUseRelease(
            statement,
            (statement) =>
              Effect.andThen(
                turnEnd,
                statement.lane.pool.use((connection) => {
                  statement.send()
                  return Effect.onInterrupt(use(connectionOf(connection)), () =>
                    Effect.forkDetach(watch(statement.lane, connection))
                  )
                })
              ),
            (statement) => Effect.sync(() => statement.end())
          )
        )
      )
      // If one lane is lost, for example by a restart of the server, the others probably are as well.
      return Effect.catchIf(onLane, isAbandoned, () => pool(use))
    })
})

/** Cancelled by the server or lost with its lane. False if it was not sent: no lane was free, or no connection could be opened. */
const isAbandoned = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) &&
  ((isConnectionLost(error) && error.reason.operation !== "connect") ||
    (Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === QUERY_CANCELED))
const QUERY_CANCELED = "57014"

export const connectionOf = (connection: PgConnection.PgConnection): SqlConnection.Connection => {
  const run =
    (isPrepared: boolean): SqlConnection.Connection["executeUnprepared"] =>
    (sql, params, transform) =>
      Effect.map(connection.query(sql, params, isPrepared), ({ rows }) =>
        transform === undefined ? rows : transform(rows)
      )
  return {
    execute: run(true),
    executeUnprepared: run(false),
    executeRaw: (sql, params) => connection.query(sql, params),
    executeStream: (sql, params) => connection.stream(sql, params),
    executeValues: (sql, params) => connection.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => connection.queryValues(sql, params, false)
  }
}
