// Shared by stores: audit entries of changes, unique violations.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { type AuditEntry, actorOf, currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, type Sql, sql } from "./Fragment.ts"
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
export const audit = (sql: Sql, session: Actor, change: Change): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(entryOf(session, change), (entry) => Effect.asVoid(sql`${auditedFrom(null, entry)}`))

/** SQL for members of an entry whose values come from the changed row. */
type EntryExpressions = {
  readonly [Member in "instanceId" | "action" | "actorId" | "entity" | "entityId" | "details"]?: string
}

/**
 * Writes an entry for each row of the CTE `source`, in the statement of the change. Null writes one entry, to be run in the
 * transaction of the change.
 */
export const auditedFrom = (
  source: string | null,
  entry: AuditEntry,
  expressions: EntryExpressions = {}
): Fragment => {
  const member = (name: Exclude<keyof EntryExpressions, "details">, type: string) => {
    const expression = expressions[name]
    return expression === undefined ? sql`${entry[name]}::${sql.literal(type)}` : sql.literal(expression)
  }
  const details =
    expressions.details === undefined
      ? sql`${JSON.stringify(entry.details)}::text::json`
      : sql.literal(expressions.details)
  return sql`insert into audit_log
    (instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id, address, details)
  select ${member("instanceId", "int8")}, ${member("action", "text")}, ${entry.actorType}::text, ${member("actorId", "int8")},
    ${member("entity", "text")}, ${member("entityId", "text")}, ${entry.decision}::text, ${entry.requestId}::text,
    ${entry.address}::text, ${details}${sql.literal(source === null ? "" : ` from ${source}`)}`
}

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
