// Transactions that PostgreSQL ends because two of them wait for each other's rows.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { isDeadlock, isUniqueViolation } from "./SqlFailure.ts"

/** PostgreSQL takes its second to find a deadlock, so that one more try is the rule. */
const DEADLOCK_TRIES_MAX = 3

/**
 * How long until another try, of which a fifth is chance. The other transaction has what was given up by then: one that began at once
 * would often take it before the other woke, and end as a deadlock again.
 */
const DEADLOCK_PAUSE_MILLIS = 50
const pauses = Schedule.jittered(Schedule.spaced(DEADLOCK_PAUSE_MILLIS))

/**
 * Repeats a whole transaction that PostgreSQL undid because of another one: as a deadlock, or because the other took a key that a store
 * reports as unavailable.
 */
export const againAfterDeadlock = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(transaction, { schedule: pauses, times: DEADLOCK_TRIES_MAX - 1, while: undoneByAnother })

/** The failure itself, or what a store made of it. */
const undoneByAnother = (error: unknown): boolean => {
  if (!(error instanceof SourceUnavailable)) return SqlError.isSqlError(error) && isDeadlock(error)
  const { cause } = error
  return SqlError.isSqlError(cause) && (isDeadlock(cause) || isUniqueViolation(cause))
}
