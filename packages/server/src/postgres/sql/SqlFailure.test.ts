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

const fatalFailure = (code: string) => failure({ code, severity: "FATAL" })
const failureToConnect = (code: string) => failure({ code }, "no", "connect")
const cause = new Error("closed")
it.effect.each<readonly [string, unknown, ReadonlyArray<SqlError.SqlError>]>([
  [
    "a lost connection, whatever was reported last,",
    "database_unavailable",
    [
      new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, operation: "query" }) }),
      fatalFailure("25P03")
    ]
  ],
  [
    "a database during a restore or a password change",
    "database_unavailable",
    [failureToConnect("3D000"), failureToConnect("28P01"), failureToConnect("28000")]
  ],
  ["a value that the driver cannot read or write", "dies", [failure({})]],
  [
    "a deadline of this process, without a message of PostgreSQL,",
    "timeout",
    [new SqlError.SqlError({ reason: new SqlError.StatementTimeoutError({ cause, operation: "execute" }) })]
  ]
])("%s means %s", ([, meaning, errors]) =>
  Effect.gen(function* () {
    for (const error of errors) assert.strictEqual(yield* reasonOf(error), meaning)
  })
)

it.effect("a read whose connection PostgreSQL ended is repeated once, a refused read is not", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* triesOf(fatalFailure("57P01")), 2)
    assert.strictEqual(yield* triesOf(failure({ code: "42703", severity: "ERROR" })), 1)
    assert.strictEqual(yield* triesOf(failure({ code: "57014", severity: "ERROR" })), 1)
  })
)
