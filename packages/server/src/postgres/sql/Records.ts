// Shared by stores: audit entries of changes, unique violations.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { type AuditEntry, actorOf, currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { auditedFrom } from "./AuditEntry.ts"
import { unavailableOrDie } from "./SqlFailure.ts"

/** A change for the audit log. `action` is `<entity>.<verb>`. `details` contain only ids, names of members and counts. */
export interface Change {
  readonly action: string
  /** Absent where the changed row names it. */
  readonly id?: number | string
  /** By default the part of the action before its verb. */
  readonly entity?: string
  readonly details?: AuditEntry["details"]
}

type Actor = Pick<AuthorizedSession, "instanceId" | "tokenId" | "userId">

/** The audit entry of a change by a caller or the system, with the origin of the request. */
export const entryOf = (session: Actor, { action, details, entity, id }: Change): Effect.Effect<AuditEntry> =>
  Effect.map(currentOrigin, (origin) => ({
    ...origin,
    ...actorOf(session),
    instanceId: session.instanceId,
    action,
    entity: entity ?? action.slice(0, action.lastIndexOf(".")),
    entityId: id === undefined ? null : String(id),
    decision: "allowed",
    details: details ?? {}
  }))

/** Writes the audit entry of a change. To be run in its transaction (contract §9, "Audit log"). */
export const audit = (
  sql: SqlClient.SqlClient,
  session: Actor,
  change: Change
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(entryOf(session, change), (entry) => Effect.asVoid(auditedFrom(sql, null, entry)))

/** A rule for failed statements: returns the name of the violated unique index or constraint. */
export const uniqueTaken =
  (details: Readonly<Record<string, string>>) =>
  (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> => {
    const detail = Object.entries(details).find(([constraint]) => brokeUnique(error, constraint))?.[1]
    return detail === undefined ? unavailableOrDie(error) : Effect.fail(new UniqueConflict({ detail }))
  }

/** Whether a statement failed on that unique index or constraint. */
export const brokeUnique = (error: SqlError.SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
