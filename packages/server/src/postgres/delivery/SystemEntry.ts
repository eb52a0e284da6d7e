// The audit entry of a change without a token: what a provider sent (contract §9, "Audit log").
import { currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"
import type { Change } from "../sql/Records.ts"

/** To be run in the transaction of the change. */
export const systemEntry = (
  sql: SqlClient.SqlClient,
  instanceId: number,
  { action, details, entity, id }: Change
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(currentOrigin, (origin) =>
    Effect.asVoid(
      sql`${auditedFrom(sql, null, {
        ...origin,
        actorType: "system",
        actorId: null,
        instanceId,
        action,
        entity: entity ?? action.slice(0, action.lastIndexOf(".")),
        entityId: String(id),
        decision: "allowed",
        details: details ?? {}
      })}`
    )
  )
