// The audit entry of a change, written in the statement that makes the change.
import type { AuditEntry } from "@rapport/core/audit/AuditLog.ts"
import type { SqlClient, Statement } from "effect/sql"

/** SQL of ours that takes the place of an entry's member where only the change itself knows it. */
type Told = { readonly [Member in "instanceId" | "actorId" | "entityId" | "details"]?: string }

/**
 * Writes an entry for each row of `source`, used as a CTE beside the change it records, so that one is never there
 * without the other; with null one entry, to be run in the transaction of the change.
 */
export const auditedFrom = (
  sql: SqlClient.SqlClient,
  source: string | null,
  entry: AuditEntry,
  told: Told = {}
): Statement.Statement<unknown> => {
  const member = (name: Exclude<keyof Told, "details">, type: string) => {
    const expression = told[name]
    return expression === undefined ? sql`${entry[name]}::${sql.literal(type)}` : sql.literal(expression)
  }
  const details =
    told.details === undefined ? sql`${JSON.stringify(entry.details)}::text::json` : sql.literal(told.details)
  return sql`insert into audit_log
    (instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id, address, details)
  select ${member("instanceId", "int8")}, ${entry.action}::text, ${entry.actorType}::text, ${member("actorId", "int8")},
    ${entry.entity}::text, ${member("entityId", "text")}, ${entry.decision}::text, ${entry.requestId}::text,
    ${entry.address}::text, ${details}${sql.literal(source === null ? "" : ` from ${source}`)}`
}
