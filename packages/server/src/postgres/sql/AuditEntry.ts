// The audit entry of a change, written in the statement that makes the change.
import type { AuditEntry } from "@rapport/core/audit/AuditLog.ts"
import type { SqlClient, Statement } from "effect/sql"

/** SQL for members of an entry whose values come from the changed row. */
type EntryExpressions = { readonly [Member in "instanceId" | "actorId" | "entityId" | "details"]?: string }

/**
 * Writes an entry for each row of the CTE `source`, in the statement of the change. Null writes one entry, to be run in the
 * transaction of the change.
 */
export const auditedFrom = (
  sql: SqlClient.SqlClient,
  source: string | null,
  entry: AuditEntry,
  expressions: EntryExpressions = {}
): Statement.Statement<unknown> => {
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
  select ${member("instanceId", "int8")}, ${entry.action}::text, ${entry.actorType}::text, ${member("actorId", "int8")},
    ${entry.entity}::text, ${member("entityId", "text")}, ${entry.decision}::text, ${entry.requestId}::text,
    ${entry.address}::text, ${details}${sql.literal(source === null ? "" : ` from ${source}`)}`
}
