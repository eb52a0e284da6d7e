// Lists the audit log (contract §9, "Audit log").
import { AuditRecord, auditLog as collection } from "@rapport/contract/audit/AuditApi.ts"
import { AuditEntryStore } from "@rapport/core/audit/AuditEntries.ts"
import { query, storeLayer } from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf } from "../sql/Columns.ts"
import { callerOf } from "../sql/Visibility.ts"

const columns = columnsOf("entry", AuditRecord.fields, {
  id: { required: true },
  actsAs: {
    sql: "(select t.acts_as from external_tokens t where t.instance_id = entry.instance_id and entry.actor_type = 'token' and t.id = entry.actor_id)"
  },
  createdAt: { required: true }
})

export const layer = storeLayer(AuditEntryStore)((sql) => ({
  list: query("AuditEntryStore.list", (session, request) =>
    listRows(
      sql,
      {
        collection,
        common: callerOf(session),
        from: sql.literal("audit_log entry"),
        listed: { name: "entry", joined: "" },
        where: sql`entry.instance_id = ${session.instanceId} and exists (select 1 from caller)`,
        columns
      },
      request
    )
  )
}))
