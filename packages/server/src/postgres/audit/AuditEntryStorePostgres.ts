// Lists the audit log (contract §9, "Audit log").
import { auditLog as collection } from "@rapport/contract/audit/AuditApi.ts"
import { AuditEntryStore } from "@rapport/core/audit/AuditEntries.ts"

import { query, storeLayer } from "../sql/Query.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"

const columns: Readonly<Record<string, Column>> = {
  id: { sql: "entry.id", required: true },
  action: { sql: "entry.action" },
  actorType: { sql: "entry.actor_type" },
  actorId: { sql: "entry.actor_id" },
  actsAs: {
    sql: "(select t.acts_as from external_tokens t where t.instance_id = entry.instance_id and entry.actor_type = 'token' and t.id = entry.actor_id)"
  },
  entity: { sql: "entry.entity" },
  entityId: { sql: "entry.entity_id" },
  decision: { sql: "entry.decision" },
  requestId: { sql: "entry.request_id" },
  address: { sql: "entry.address" },
  createdAt: { sql: "entry.created_at", time: true, required: true },
  details: { sql: "entry.details" }
}

export const layer = storeLayer(AuditEntryStore)((sql) => ({
  list: query("AuditEntryStore.list", (session, request) =>
    listRows(
      sql,
      {
        collection,
        common: null,
        from: sql.literal("audit_log entry"),
        listed: { name: "entry", joined: "" },
        where: sql`entry.instance_id = ${session.instanceId}`,
        columns
      },
      request
    )
  )
}))
