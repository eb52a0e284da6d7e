// What the stores of all rooms share: a record as one JSON value from the columns of its list, and the audit entry of a change.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { type AuditEntry, actorOf, currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { auditedFrom } from "./AuditEntry.ts"
import type { Column } from "./ListQuery.ts"
import { unavailableOrDie } from "./SqlFailure.ts"

/** `json_build_object(…)` of these members; times come as PostgreSQL writes them in JSON, which the wire's Time decodes. */
export const recordJson = (
  columns: Readonly<Record<string, Column>>,
  members: ReadonlyArray<string>
): string =>
  `json_build_object(${members
    .map((name) => {
      const column = columns[name]
      if (column === undefined) throw new Error(`there is no column ${name}`)
      return `'${name}', ${column.sql}`
    })
    .join(", ")})`

/** `occurred_at` of `occurredAt`: the column of a member where none is given. */
export const columnName = (member: string): string =>
  member.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** What a change did: `action` is `<entity>.<verb>`, `details` hold ids, names of members and counts alone. */
export interface Change {
  readonly action: string
  readonly id: number | string
  readonly details?: AuditEntry["details"]
}

/** The entry of a change by the caller, with where it came from. */
export const entryOf = (
  session: AuthorizedSession,
  { action, details, id }: Change
): Effect.Effect<AuditEntry> =>
  Effect.map(currentOrigin, (origin) => ({
    ...origin,
    ...actorOf(session),
    instanceId: session.instanceId,
    action,
    entity: action.slice(0, action.lastIndexOf(".")),
    entityId: String(id),
    decision: "allowed",
    details: details ?? {}
  }))

/** Writes the entry of a change; to be run in its transaction (contract §9, "Audit log"). */
export const audit = (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  change: Change
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(entryOf(session, change), (entry) => Effect.asVoid(auditedStatement(sql, entry)))

const auditedStatement = (sql: SqlClient.SqlClient, entry: AuditEntry) =>
  sql`${auditedFrom(sql, null, entry)}`

/** A rule for failed statements: what is taken when one of these unique indexes or constraints is broken. */
export const uniqueTaken =
  (details: Readonly<Record<string, string>>) =>
  (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> => {
    const detail = Object.entries(details).find(([constraint]) => brokeUnique(error, constraint))?.[1]
    return detail === undefined ? unavailableOrDie(error) : Effect.fail(new UniqueConflict({ detail }))
  }

/** Whether a statement failed on that unique index or constraint. */
export const brokeUnique = (error: SqlError.SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
