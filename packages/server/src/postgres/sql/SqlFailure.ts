// What a failed statement means to a use case: the database is away or overdue, or else the statement is a bug of ours.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * For `Effect.catchTag("SqlError", unavailableOrDie)`: fails where asking again later may help (no connection, a server that stops
 * or lacks resources, a timeout, a lock, a deadlock); whatever else PostgreSQL refuses dies as a StatementFailed,
 * because no caller can mend it and repeating it changes nothing.
 */
export const unavailableOrDie = (error: SqlError.SqlError): Effect.Effect<never, SourceUnavailable> => {
  const reason = reasonOf(error)
  return reason === undefined
    ? Effect.die(new StatementFailed(error))
    : Effect.fail(new SourceUnavailable({ source: "database", reason, cause: error }))
}

/** A statement that PostgreSQL will never take. Says which rule it broke and where, and holds no value of a row. */
export class StatementFailed extends Error {
  override readonly name = "StatementFailed"
  readonly sqlState: string
  constructor(error: SqlError.SqlError) {
    const fields = fieldsOf(error)
    const places = [fields.table, fields.column, fields.constraint, fields.routine].filter(
      (place) => place !== undefined
    )
    super([`SQLSTATE ${fields.code ?? "unknown"}: ${withoutValues(fields)}`, ...places].join(", "))
    this.sqlState = fields.code ?? ""
  }
}

/** Why the database cannot answer now; undefined where the statement itself is at fault. */
const reasonOf = (error: SqlError.SqlError): SourceUnavailable["reason"] | undefined => {
  const { code = "" } = fieldsOf(error)
  // PostgreSQL gave it up, after its time or while it waited for a lock, or our own deadline did, of which it says nothing.
  if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE || error.reason._tag === "StatementTimeoutError")
    return "timeout"
  if (code === DISK_FULL) return "storage_full"
  // Whatever refuses a connection, a password or a database that is being restored among it, may let one in later.
  const unconnected = error.reason.operation === "connect"
  return unconnected ||
    isConnectionLost(error) ||
    passingStates.has(code) ||
    passingClasses.has(code.slice(0, 2))
    ? "database_unavailable"
    : undefined
}

/** The connection was lost on its way, or PostgreSQL ended it where it should have answered. */
export const isConnectionLost = (error: SqlError.SqlError): boolean => {
  const { severity } = fieldsOf(error)
  return error.reason._tag === "ConnectionError" || severity === "FATAL" || severity === "PANIC"
}

/** Another transaction held what the statement needs for longer than it may wait. */
const isLockTimeout = (error: SqlError.SqlError): boolean => fieldsOf(error).code === LOCK_NOT_AVAILABLE

/** PostgreSQL undid the whole transaction for the sake of another one, and would take it now. */
export const isDeadlock = (error: SqlError.SqlError): boolean =>
  deadlockStates.has(fieldsOf(error).code ?? "")

/** A concurrent transaction committed the same unique key after this statement's snapshot. */
export const isUniqueViolation = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation"

/** The lock timeout ended a wait for a transaction that inserts the same unique key. */
export const isKeyWaitTimeout = (error: SqlError.SqlError): boolean =>
  isLockTimeout(error) && fieldsOf(error).where?.includes("inserting index tuple") === true

const QUERY_CANCELED = "57014"
const DISK_FULL = "53100"
const LOCK_NOT_AVAILABLE = "55P03"
/** Connection, resources, operator intervention (shutdown among it), system errors. */
const passingClasses = new Set(["08", "53", "57", "58"])
/** Serialization, deadlock. */
const deadlockStates = new Set(["40001", "40P01"])
/** Those, an end that is not known, an object that another holds, a server that became a standby. */
const passingStates = new Set([...deadlockStates, "40003", "55006", "25006"])

/** What PostgreSQL says of an object that was to be created and exists; undefined for every other failure. */
export const existingObject = (error: SqlError.SqlError): string | undefined => {
  const { code = "", message } = fieldsOf(error)
  return existingObjectStates.has(code) ? message : undefined
}
/** A relation, a function, another object of the same name. */
const existingObjectStates = new Set(["42P07", "42723", "42710"])

interface Fields {
  readonly code: string | undefined
  readonly severity: string | undefined
  readonly message: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined
  readonly where: string | undefined
  readonly routine: string | undefined
}

const fieldsOf = ({ reason }: SqlError.SqlError): Fields => {
  const { cause } = reason
  const field = (name: string): string | undefined => {
    if (typeof cause !== "object" || cause === null) return undefined
    const value: unknown = Reflect.get(cause, name)
    return typeof value === "string" ? value : undefined
  }
  return {
    code: field("code"),
    severity: field("severityUnlocalized") ?? field("severity"),
    message: field("message") ?? reason.message,
    table: field("table"),
    column: field("column"),
    constraint: field("constraint"),
    where: field("where"),
    routine: field("routine")
  }
}

// PostgreSQL puts values in double quotes; in the messages of class 42 these hold names, and values are parameters.
const withoutValues = ({ code = "", message = "no message" }: Fields): string =>
  code.startsWith("42") || code.startsWith("23") ? message : message.replaceAll(/".*"/gsu, '"…"')
