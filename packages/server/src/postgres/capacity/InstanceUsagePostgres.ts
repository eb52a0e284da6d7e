// Measures what instances store, a table and an instance at a time: rows by an index, bytes by a sample of the rows.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf, selectedIds } from "../sql/Query.ts"

/** Tables that grow with what an instance does. */
const measured = [
  "clients",
  "client_actions",
  "client_state_history",
  "context_sessions",
  "session_messages",
  "appeals",
  "appeal_messages",
  "custom_records",
  "property_values",
  "quality_assessments",
  "broadcast_recipients"
] as const

/** Rows of a table that are counted; an instance with more counts as having these. */
const COUNTED_ROWS_MAX = 5_000_000
const SAMPLE_ROWS = 500

const sizeRows = rowsOf(Schema.Struct({ rows: Schema.Finite, bytes: Schema.Finite }))
const usageRows = rowsOf(Schema.Struct({ instanceId: Schema.Int, rows: Schema.Finite, bytes: Schema.Finite }))

/** Measures every instance, one after the other, in short statements. */
export const measureUsage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const instances = yield* selectedIds(sql`select id::float8 as id from instances order by id`)
  for (const instanceId of instances) {
    let [rows, bytes] = [0, 0]
    for (const table of measured) {
      const size = yield* sizeRows.get(sql`select count.rows, count.rows * coalesce(sample.bytes, 0) as bytes
        from (select count(*)::float8 as rows from (
            select 1 from ${sql(table)} stored where stored.instance_id = ${instanceId}
              limit ${COUNTED_ROWS_MAX}) stored) count,
          (select avg(pg_column_size(stored.*))::float8 as bytes from (
            select * from ${sql(table)} stored where stored.instance_id = ${instanceId}
              limit ${SAMPLE_ROWS}) stored) sample`)
      rows += size.rows
      bytes += size.bytes
    }
    yield* sql`insert into instance_usage (instance_id, stored_rows, stored_bytes, measured_at)
      values (${instanceId}, ${rows}::float8::int8, ${bytes}::float8::int8, now())
      on conflict (instance_id) do update set stored_rows = excluded.stored_rows, stored_bytes = excluded.stored_bytes,
        measured_at = excluded.measured_at`
  }
})

/** Instances that store at least so many rows or bytes; 0: no such limit. */
export const instancesAbove = Effect.fnUntraced(function* (quota: {
  readonly rows: number
  readonly bytes: number
}) {
  const sql = yield* SqlClient.SqlClient
  return yield* usageRows.all(sql`select instance_id::float8 as "instanceId", stored_rows::float8 as rows,
      stored_bytes::float8 as bytes from instance_usage
    where (${quota.rows}::int8 > 0 and stored_rows >= ${quota.rows}::int8)
      or (${quota.bytes}::int8 > 0 and stored_bytes >= ${quota.bytes}::int8)`)
})
