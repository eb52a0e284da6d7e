// Classifies failed statements as an unavailable database or a bug of the statement.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * Fails with SourceUnavailable if a retry may help: no connection, a server that stops or lacks resources, a timeout, a
 * lock, a deadlock. Every other error is a bug and dies as StatementFailed.
 */
export const unavailableOrDie = (error: SqlError.SqlError): Effect.Effect<never, SourceUnavailable> => {
  const reason = reasonOf(error)
  return reason === undefined
    ? Effect.die(new StatementFailed(error))
    : Effect.fail(new SourceUnavailable({ source: "database", reason, cause: error }))
}

/** A statement that PostgreSQL always refuses. The message contains no value of a row. */
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

/** Undefined if the statement is wrong. */
const reasonOf = (error: SqlError.SqlError): SourceUnavailable["reason"] | undefined => {
  const { code = "" } = fieldsOf(error)
  // A timeout of the statement or its lock, or the deadline of the service.
  if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE || error.reason._tag === "StatementTimeoutError")
    return "timeout"
  if (code === DISK_FULL) return "storage_full"
  // A refused connection may succeed later, for example after a restore or a changed password.
  const unconnected = error.reason.operation === "connect"
  return unconnected ||
    isConnectionLost(error) ||
    passingStates.has(code) ||
    passingClasses.has(code.slice(0, 2))
    ? "database_unavailable"
    : undefined
}

/** The connection was lost, or PostgreSQL ended it. */
export const isConnectionLost = (error: SqlError.SqlError): boolean => {
  const { severity } = fieldsOf(error)
  return error.reason._tag === "ConnectionError" || severity === "FATAL" || severity === "PANIC"
}

const isLockTimeout = (error: SqlError.SqlError): boolean => fieldsOf(error).code === LOCK_NOT_AVAILABLE

/** PostgreSQL rolled back the transaction in favor of another one. A retry can succeed. */
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
/** In addition: an unknown outcome, a locked object, a server that became a standby. */
const passingStates = new Set([...deadlockStates, "40003", "55006", "25006"])

/** The message about an object that already exists; undefined for other failures. */
export const existingObject = (error: SqlError.SqlError): string | undefined => {
  const { code = "", message } = fieldsOf(error)
  return existingObjectStates.has(code) ? message : undefined
}
/** A relation, a function, another object of the same name. */
const existingObjectStates = new Set(["42P07", "42723", "42710"])

const fieldsOf = ({ reason }: SqlError.SqlError) => {
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
const withoutValues = ({ code = "", message }: ReturnType<typeof fieldsOf>): string =>
  code.startsWith("42") || code.startsWith("23") ? message : message.replaceAll(/".*"/gsu, '"…"')
