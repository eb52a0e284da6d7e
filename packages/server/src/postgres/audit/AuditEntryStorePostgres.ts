// The entries of the audit log in PostgreSQL, read page by page (docs/contract.md §9, audit).
import { auditLog as collection } from "@rapport/contract/audit/AuditApi.ts"
import { AuditEntryStore } from "@rapport/core/audit/AuditEntries.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../sql/Query.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"

const columns: Readonly<Record<string, Column>> = {
  id: { sql: "l.id", required: true },
  action: { sql: "l.action" },
  actorType: { sql: "l.actor_type" },
  actorId: { sql: "l.actor_id" },
  entity: { sql: "l.entity" },
  entityId: { sql: "l.entity_id" },
  decision: { sql: "l.decision" },
  requestId: { sql: "l.request_id" },
  address: { sql: "l.address" },
  createdAt: { sql: "l.created_at", time: true, required: true },
  details: { sql: "l.details" }
}

export const layer: Layer.Layer<AuditEntryStore, never, SqlClient.SqlClient> = Layer.effect(
  AuditEntryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AuditEntryStore.of({
      list: query("AuditEntryStore.list", (session, request) =>
        listRows(
          sql,
          {
            collection,
            common: null,
            from: sql.literal("audit_log l"),
            listed: { name: "l", joined: "" },
            where: sql`l.instance_id = ${session.instanceId}`,
            columns
          },
          request
        )
      )
    })
  })
)
