// Failures of commands, and their one-line message.
import { Cause, Schema } from "effect"
import { CliError } from "effect/cli"
import { SqlError } from "effect/sql"

/** The command cannot do what was requested. The process exits with 1. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}
/** The flags or arguments are wrong. The process exits with 2. */
export class WrongUse extends Schema.TaggedError<WrongUse>()("InvalidRequest", {
  message: Schema.String
}) {}

/** A wrong argument or a wrong setting: exit code 2 (contract §11). */
export const isWrongUse = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return (
    CliError.isCliError(error) ||
    (hasTag(error) && (error._tag === "ConfigError" || error._tag === "InvalidRequest"))
  )
}

/** The line for standard error; undefined if the command line parser has already printed one. */
export const failureLine = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return undefined
  if (!hasTag(error)) return Cause.pretty(cause)
  if (SqlError.isSqlError(error)) return `PostgreSQL: ${rootMessage(error)}`
  if ("detail" in error && typeof error.detail === "string") return error.detail
  if (error._tag === "SourceUnavailable") return `the database is not available: ${rootMessage(error)}`
  return error.message === "" ? error._tag : error.message
}

const hasTag = (error: unknown): error is Error & { readonly _tag: string } =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"

// The innermost cause has the specific message.
const rootMessage = (error: Error): string =>
  error.cause instanceof Error
    ? rootMessage(error.cause)
    : oneLine(error.message === "" ? error.name : error.message)

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/gu, " | ")
