// Retries transactions that PostgreSQL rolled back because of a deadlock.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { isDeadlock, isUniqueViolation } from "./SqlFailure.ts"

/** PostgreSQL needs a second to detect a deadlock, so one retry is the usual case. */
const DEADLOCK_TRIES_MAX = 3

/** Until then the other transaction has the released locks. An immediate retry would often deadlock again. */
const DEADLOCK_PAUSE_MILLIS = 50
const pauses = Schedule.jittered(Schedule.spaced(DEADLOCK_PAUSE_MILLIS))

/** Also retries after a unique violation that a store reports as unavailable. */
export const retryDeadlocks = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(transaction, { schedule: pauses, times: DEADLOCK_TRIES_MAX - 1, while: isRolledBack })

/** Accepts the SQL error or the SourceUnavailable of a store. */
const isRolledBack = (error: unknown): boolean => {
  if (!(error instanceof SourceUnavailable)) return SqlError.isSqlError(error) && isDeadlock(error)
  const { cause } = error
  return SqlError.isSqlError(cause) && (isDeadlock(cause) || isUniqueViolation(cause))
}
