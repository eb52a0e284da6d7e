// The readiness of an instance in PostgreSQL, in one statement.
import { ReadinessStore } from "@rapport/core/readiness/ReadinessStore.ts"
import { Schema } from "effect"
import { query, rowsOf, storeLayer } from "../sql/Query.ts"

const readinessRows = rowsOf(
  Schema.Struct({
    capabilityEnabled: Schema.Boolean,
    contextStoreReady: Schema.Boolean,
    quarantined: Schema.Int,
    oldestOutboxEntryMillis: Schema.Finite
  })
)

export const layer = storeLayer(ReadinessStore)((sql) => ({
  find: query("ReadinessStore.find", (instanceId) =>
    readinessRows.get(sql`select instances.capability_enabled as "capabilityEnabled",
            instances.context_store_ready as "contextStoreReady",
            (select count(*) from quarantine where quarantine.instance_id = instances.id
              and quarantine.kind = 'evidence')::float8 as quarantined,
            greatest(0, coalesce((select extract(epoch from clock_timestamp() - outbox.created_at) * 1000 from outbox
              where outbox.instance_id = instances.id and outbox.kind = 'evidence'
                order by outbox.xid, outbox.id limit 1), 0)::int8)::float8
              as "oldestOutboxEntryMillis"
            from instances where instances.id = ${instanceId}`)
  )
}))
