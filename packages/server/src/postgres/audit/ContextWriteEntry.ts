// The audit entry of a context write, in the statement of the write. It never contains the payload.
import type { Writer } from "@rapport/core/audit/Writer.ts"
import type { AuditEntry } from "@rapport/core/audit/AuditLog.ts"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { entryOf } from "../sql/Records.ts"

/** A CTE. `source` is the CTE with a row and its client_id for each write. */
export const contextWriteEntry = (
  sql: SqlClient.SqlClient,
  source: string,
  { batchId, operation, receiptId, session }: Writer,
  details: AuditEntry["details"]
): Effect.Effect<Statement.Fragment> =>
  Effect.map(
    entryOf(session, {
      action: operation,
      entity: "client",
      details: { receiptId, ...(batchId === undefined ? {} : { batchId }), ...details }
    }),
    (entry) => auditedFrom(sql, source, entry, { entityId: "client_id::text" })
  )
