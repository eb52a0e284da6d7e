// Errors of statements that got no connection or no answer in time.
import { Effect } from "effect"
import { SqlError } from "effect/sql"

/** The server cancels a statement after 6 s, so after this time the server does not answer. */
export const STATEMENT_ANSWER_MILLIS_MAX = 7_000

export const overdue = (message: string): Effect.Effect<never, SqlError.SqlError> =>
  Effect.suspend(() =>
    Effect.fail(
      new SqlError.SqlError({
        reason: new SqlError.StatementTimeoutError({
          cause: new Error(message),
          message,
          operation: "execute"
        })
      })
    )
  )

export const noAnswer = () => overdue("the database did not answer in time")
