// Short reads on few warm connections: those of many requests travel together, and none waits for a backend to be scheduled.
import { PgConnection, PgPool } from "@effect/sql-pg"
import { abandonAfter } from "@rapport/core/failures/SourceUnavailable.ts"
import { makeTenantQueue, CurrentTenant } from "@rapport/core/traffic/TenantQueue.ts"
import { Context, Effect, type Exit, Predicate, type Scope } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { isConnectionLost } from "../sql/SqlFailure.ts"
import { noAnswer, STATEMENT_ANSWER_MILLIS_MAX } from "../sql/Overdue.ts"

/** Set around a statement whose connection may be shared: when it goes there. */
const ShortRead = Context.Reference<"turnEnd" | "now" | null>("server/postgres/ShortRead", {
  defaultValue: () => null
})

/** Waits until this turn of the event loop has begun all that it begins: statements that go on together leave in one write. */
const makeTurnEnd = (): Effect.Effect<void> => {
  let waiting: Array<() => void> = []
  const goOn = () => {
    const all = waiting
    waiting = []
    for (const resume of all) resume()
  }
  return Effect.callback((resume) => {
    if (waiting.push(() => resume(Effect.void)) === 1) setImmediate(goOn)
  })
}
const turnEnd = makeTurnEnd()

/** A connection that was lost unnoticed fails once; a read is simply made again. */
export const onceMore = <A>(read: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
  Effect.catchIf(read, isConnectionLost, () => read)

/**
 * Of a statement that reads a few rows by their keys: it may run pipelined with those of others, where it cannot be
 * cancelled by itself. One that turns out slow is given up by the server and runs again on the pool, where it can. Its
 * deadline is the caller's.
 */
export const shortRead = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> => Effect.provideService(onceMore(read), ShortRead, "turnEnd")

const inTime = abandonAfter(STATEMENT_ANSWER_MILLIS_MAX, noAnswer)
/** The same for a caller without a deadline: it fails where the server does not answer. */
export const shortReadInTime = <A>(read: Effect.Effect<A, SqlError.SqlError>) => inTime(shortRead(read))

type Waiting<A> = Array<(exit: Exit.Exit<A, SqlError.SqlError>) => void>

/** Deduplicates a read that does not depend on the caller: callers in one tick of the event loop share one statement. */
export const sharedRead = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> => {
  let callers: Waiting<A> | undefined
  const once = inTime(Effect.provideService(onceMore(read), ShortRead, "now")).pipe(
    // Runs as the service, not as the caller that triggers it.
    Effect.provideService(CurrentTenant, "service")
  )
  const begin = (waiting: Waiting<A>) =>
    Effect.andThen(
      turnEnd,
      Effect.suspend(() => {
        callers = undefined
        return Effect.exit(once)
      })
    ).pipe(
      Effect.map((exit) => {
        for (const answer of waiting) answer(exit)
      }),
      Effect.forkDetach({ startImmediately: true })
    )
  return Effect.suspend(() => {
    const waiting: Waiting<A> = callers ?? []
    const isFirst = callers === undefined
    callers = waiting
    const answered = Effect.callback<A, SqlError.SqlError>((resume) => void waiting.push(resume))
    return isFirst ? Effect.andThen(begin(waiting), answered) : answered
  })
}

/** Connections of the pool that become lanes; a pool too small for them does without. */
export const LANES = 4
export const LANES_POOL_MIN = 12
/** A lane with so many statements in flight is left alone while another one has fewer. */
const LANE_FULL = 3
/**
 * Statements on one lane at once: what one waits for at most. Fewer would let a crowd wait: the answers of a lane are taken
 * once a turn of the event loop.
 */
const DEPTH = 16
const SHARE = 0.75
const WAITING_MAX = 1_024
/** After this the server gives up a statement on a lane, for the sake of those behind it. */
const STATEMENT_MILLIS_MAX = 200

type Borrow = SqlConnection.Borrower

interface Lane {
  readonly pool: PgPool.PgPool
  /** Statements that have begun, and leave when their turn of the event loop ends. */
  begun: number
  /** Statements that have left and are not answered. */
  inFlight: number
}

/**
 * The first that is not full, else the one with the fewest. Statements of one turn find the same lane and leave in one write, which wakes
 * one backend; what comes while that works wakes another, so that both cores are busy. Behind a slow one nothing gathers.
 */
const laneOf = (lanes: ReadonlyArray<Lane>): Lane =>
  lanes.find(({ begun, inFlight }) => inFlight < LANE_FULL && begun < DEPTH) ??
  lanes.reduce((least, lane) => (lane.begun + lane.inFlight < least.begun + least.inFlight ? lane : least))

/** A place on a lane, from the choice of the lane to the answer. */
class Passage {
  readonly lane: Lane
  #hasLeft = false

  constructor(lane: Lane) {
    this.lane = lane
    lane.begun++
  }

  leave(): void {
    this.#hasLeft = true
    this.lane.begun--
    this.lane.inFlight++
  }

  end(): void {
    if (this.#hasLeft) this.lane.inFlight--
    else this.lane.begun--
  }
}

/** Sends short reads over lanes, and what is slow there, or no short read, by `pool`. */
export const withLanes = Effect.fnUntraced(function* (
  config: PgPool.Config,
  limits: { readonly waitMillis: number; readonly answerMillis: number },
  overdue: Effect.Effect<never, SqlError.SqlError>,
  refused: <E>(error: E) => Effect.Effect<never, E>,
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
    (pool): Lane => ({ pool, begun: 0, inFlight: 0 })
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
  /** A reader that stops waiting leaves its statement on the lane; a lane that does not get past it in time is given up. */
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
  const passage = Effect.sync(() => new Passage(laneOf(lanes)))

  return (use) =>
    Effect.flatMap(ShortRead, (when) => {
      if (when === null) return pool(use)
      const onLane = Effect.flatMap(CurrentTenant, (tenant) =>
        permits.within(
          tenant,
          Effect.acquireUseRelease(
            passage,
            (passage) =>
              Effect.andThen(
                when === "now" ? Effect.void : turnEnd,
                passage.lane.pool.use((connection) => {
                  passage.leave()
                  return Effect.onInterrupt(use(connectionOf(connection)), () =>
                    Effect.forkDetach(watch(passage.lane, connection))
                  )
                })
              ),
            (passage) => Effect.sync(() => passage.end())
          )
        )
      )
      // Where one lane is lost, as with a server that starts again, the others probably are as well.
      return Effect.catch(onLane, (error) => (isGivenUp(error) ? pool(use) : refused(error)))
    })
})

/** By the server, or with its lane; not because a place was waited for in vain, or no server is there. */
const isGivenUp = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) &&
  ((isConnectionLost(error) && error.reason.operation !== "connect") ||
    (Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === QUERY_CANCELED))
const QUERY_CANCELED = "57014"

/** What a statement needs of a connection. */
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
