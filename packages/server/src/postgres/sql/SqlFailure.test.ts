import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlError } from "effect/sql"
import { retryOnLostConnection } from "../connection/Lanes.ts"
import { StatementFailed, unavailableOrDie } from "./SqlFailure.ts"

/** As the driver fails: its own class of reason for some states, the fields of the server's answer as the cause. */
const failure = (
  fields: { readonly code?: string; readonly severity?: string },
  message = "as PostgreSQL says it",
  operation = "query"
) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error(message), fields),
      message: "PgConnection: Query failed",
      operation
    })
  })

/** The reason of the failure, or "dies". */
const reasonOf = (error: SqlError.SqlError) =>
  Effect.map(Effect.exit(unavailableOrDie(error)), (exit) => {
    if (Exit.isSuccess(exit)) return "succeeds"
    const found = Cause.squash(exit.cause)
    return found instanceof StatementFailed
      ? "dies"
      : "reason" in Object(found)
        ? Reflect.get(Object(found), "reason")
        : "?"
  })

/** How often a read is made that fails so the first time. */
const triesOf = (error: SqlError.SqlError) => {
  let tries = 0
  const read = Effect.suspend(() => (++tries === 1 ? Effect.fail(error) : Effect.succeed(tries)))
  return Effect.map(Effect.exit(retryOnLostConnection(read)), () => tries)
}

// contract §1.1: 503 is for an unreachable database; a refused statement is a bug, and 500.

it.effect("a lost connection is unavailable, whatever was reported last", () =>
  Effect.gen(function* () {
    const lost = new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause: new Error("closed"), operation: "query" })
    })
    assert.strictEqual(yield* reasonOf(lost), "database_unavailable")
    const ended = failure({ code: "25P03", severity: "FATAL" })
    assert.strictEqual(yield* reasonOf(ended), "database_unavailable")
  })
)

it.effect("a database during a restore or a password change is unavailable", () =>
  Effect.gen(function* () {
    for (const code of ["3D000", "28P01", "28000"]) {
      assert.strictEqual(yield* reasonOf(failure({ code }, "no", "connect")), "database_unavailable", code)
    }
  })
)

it.effect("a value that the driver cannot read or write is a defect", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* reasonOf(failure({})), "dies")
  })
)

it.effect("a deadline of this process is a timeout without a message of PostgreSQL", () =>
  Effect.gen(function* () {
    const cause = new Error("no connection became free in time")
    const reason = new SqlError.StatementTimeoutError({
      cause,
      message: cause.message,
      operation: "execute"
    })
    assert.strictEqual(yield* reasonOf(new SqlError.SqlError({ reason })), "timeout")
  })
)

it.effect("a read whose connection PostgreSQL ended is repeated once, a refused read is not", () =>
  Effect.gen(function* () {
    const ended = failure({ code: "57P01", severity: "FATAL" })
    assert.strictEqual(yield* triesOf(ended), 2)
    assert.strictEqual(yield* triesOf(failure({ code: "42703", severity: "ERROR" })), 1)
    assert.strictEqual(yield* triesOf(failure({ code: "57014", severity: "ERROR" })), 1)
  })
)
