// What a failed statement means to a use case: the database is away or overdue, or else the statement is a bug of ours.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * For `Effect.catchTag("SqlError", away)`: fails where asking again later may help (no connection, a timeout, a lock,
 * a deadlock, a server that stops); a wrong statement or a broken constraint dies, because no caller can mend it.
 */
export const away = (error: SqlError.SqlError): Effect.Effect<never, SourceUnavailable> => {
  switch (error.reason._tag) {
    case "SqlSyntaxError":
    case "UniqueViolation":
    case "ConstraintError":
    case "AuthorizationError":
      return Effect.die(error)
    case "StatementTimeoutError":
      return Effect.fail(new SourceUnavailable({ source: "database", reason: "timeout", cause: error }))
    default:
      return Effect.fail(
        new SourceUnavailable({ source: "database", reason: "database_unavailable", cause: error })
      )
  }
}
