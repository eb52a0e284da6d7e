// Transactions that PostgreSQL ends because two of them wait for each other's rows.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { isDeadlock } from "./SqlFailure.ts"

/** PostgreSQL takes its second to find a deadlock; the other transaction goes on at once, so that one more try is the rule. */
const DEADLOCK_TRIES_MAX = 3

/** Runs a whole transaction again when PostgreSQL undid it as a deadlock: nothing of it is left, and the caller did nothing wrong. */
export const againAfterDeadlock = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(transaction, { times: DEADLOCK_TRIES_MAX - 1, while: endedByDeadlock })

/** The failure itself, or what a store made of it. */
const endedByDeadlock = (error: unknown): boolean => {
  const cause = error instanceof SourceUnavailable ? error.cause : error
  return SqlError.isSqlError(cause) && isDeadlock(cause)
}
