// The entry of a context write, in the statement of the write: who, operation, client, receipt; never a payload.
import type { Writer } from "@rapport/core/audit/Writer.ts"
import { type AuditEntry, actorOf, currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"

/** Used as a CTE beside the write; `source` gives a row with the column client_id where something was written. */
export const contextWriteEntry = (
  sql: SqlClient.SqlClient,
  source: string,
  { batchId, operation, receiptId, session }: Writer,
  details: AuditEntry["details"]
): Effect.Effect<Statement.Fragment> =>
  Effect.map(currentOrigin, (origin) =>
    auditedFrom(
      sql,
      source,
      {
        ...origin,
        ...actorOf(session),
        instanceId: session.instanceId,
        action: operation,
        entity: "client",
        entityId: null,
        decision: "allowed",
        details: { receiptId, ...(batchId === undefined ? {} : { batchId }), ...details }
      },
      { entityId: "client_id::text" }
    )
  )

/** The same for a row each of `source`, which has the columns client_id, receipt_id and batch_id; `details` are SQL. */
export const contextWriteEntries = (
  sql: SqlClient.SqlClient,
  source: string,
  { operation, session }: Pick<Writer, "operation" | "session">,
  details: string
): Effect.Effect<Statement.Fragment> =>
  Effect.map(currentOrigin, (origin) =>
    auditedFrom(
      sql,
      source,
      {
        ...origin,
        ...actorOf(session),
        instanceId: session.instanceId,
        action: operation,
        entity: "client",
        entityId: null,
        decision: "allowed",
        details: {}
      },
      {
        entityId: "client_id::text",
        details: `case when batch_id is null then json_build_object('receiptId', receipt_id, ${details})
          else json_build_object('receiptId', receipt_id, 'batchId', batch_id, ${details}) end`
      }
    )
  )
