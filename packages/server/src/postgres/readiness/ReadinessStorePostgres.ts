// The readiness of an instance as PostgreSQL knows it, in one statement.
import { ReadinessStore } from "@rapport/core/readiness/ReadinessStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unavailableOrDie } from "../sql/SqlFailure.ts"

const Rows = Schema.Tuple([
  Schema.Struct({
    capability_enabled: Schema.Boolean,
    context_store_ready: Schema.Boolean,
    quarantined: Schema.Int,
    oldest_millis: Schema.Finite
  })
])
const decodeRows = Schema.decodeUnknownEffect(Rows)

export const layer: Layer.Layer<ReadinessStore, never, SqlClient.SqlClient> = Layer.effect(
  ReadinessStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ReadinessStore.of({
      find: Effect.fn("ReadinessStore.find")(
        function* (instanceId) {
          const rows = yield* sql`select i.capability_enabled, i.context_store_ready,
            (select count(*) from quarantine q where q.instance_id = i.id and q.kind = 'evidence')::float8 as quarantined,
            coalesce((select extract(epoch from clock_timestamp() - o.created_at) * 1000 from outbox o
              where o.instance_id = i.id and o.kind = 'evidence' order by o.xid, o.id limit 1), 0)::int8::float8
              as oldest_millis
            from instances i where i.id = ${instanceId}`
          const [row] = yield* Effect.orDie(decodeRows(rows))
          return {
            capabilityEnabled: row.capability_enabled,
            contextStoreReady: row.context_store_ready,
            quarantined: row.quarantined,
            oldestObligationMillis: Math.max(0, row.oldest_millis)
          }
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)
