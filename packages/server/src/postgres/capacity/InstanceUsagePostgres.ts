// Measures the size of instances: counts rows of each table by an index, and estimates bytes from a sample of rows.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { rowsOf, selectedCount, selectedIds } from "../sql/Query.ts"
import { isConnectionLost } from "../sql/SqlFailure.ts"

/** Tables that grow with the use of an instance. */
export const measuredTables = [
  "clients",
  "client_identities",
  "client_contacts",
  "client_actions",
  "client_state",
  "client_state_history",
  "context_sessions",
  "session_messages",
  "appeals",
  "appeal_messages",
  "files",
  "custom_records",
  "record_values",
  "property_values",
  "quality_assessments",
  "broadcast_recipients",
  "deliveries",
  "inbound_messages",
  // By default the receipts of context writes and imports are kept for ever.
  "receipts",
  "import_items",
  "imported_states"
] as const

/** The maximum count of a table. Above it the number is estimated from the statistics of PostgreSQL. */
const COUNTED_ROWS_MAX = 1_000_000
const SAMPLE_ROWS = 500

const sizeRows = rowsOf(Schema.Struct({ rows: Schema.Finite, bytes: Schema.Finite }))
const usageRows = rowsOf(Schema.Struct({ instanceId: Schema.Int, rows: Schema.Finite, bytes: Schema.Finite }))

/** Estimates the rows of an instance. Statistics list an instance with so many rows as a common value. */
const estimatedRows = (sql: Sql, table: string, instanceId: number) => sql`(
  select relation.reltuples * stats.most_common_freqs[
      array_position(stats.most_common_vals::text::int8[], ${instanceId}::int8)]
    from pg_class relation join pg_stats stats on stats.schemaname = current_schema() and stats.tablename = relation.relname
    where relation.oid = ${table}::text::regclass and stats.attname = 'instance_id')`

const sizeOf = (sql: Sql, table: string, instanceId: number, countedMax: number) =>
  sizeRows.get(sql`select size.rows, size.rows * coalesce(sample.bytes, 0) as bytes
    from (select case when counted.rows < ${countedMax}::float8 then counted.rows
          else greatest(counted.rows, ${estimatedRows(sql, table, instanceId)}) end as rows
        from (select count(*)::float8 as rows from (
          select 1 from ${sql(table)} stored where stored.instance_id = ${instanceId} limit ${countedMax}) stored) counted) size,
      (select avg(pg_column_size(stored.*))::float8 as bytes from (
        select * from ${sql(table)} stored where stored.instance_id = ${instanceId} limit ${SAMPLE_ROWS}) stored) sample`)

/** Measures the instances one by one in short statements. A failure does not affect other instances. */
export const measureUsage = (countedMax = COUNTED_ROWS_MAX) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const instances = yield* selectedIds(sql`select id::float8 as id from instances order by id`)
    for (const instanceId of instances)
      yield* Effect.catchTag(measureInstance(sql, instanceId, countedMax), "SqlError", (cause) =>
        isConnectionLost(cause)
          ? Effect.fail(cause)
          : Effect.logWarning(`instance ${instanceId} was not measured`, cause)
      )
  })

const measureInstance = Effect.fnUntraced(function* (sql: Sql, instanceId: number, countedMax: number) {
  let [rows, bytes] = [0, 0]
  for (const table of measuredTables) {
    const size = yield* sizeOf(sql, table, instanceId, countedMax)
    rows += size.rows
    bytes += size.bytes
  }
  bytes += yield* selectedCount(sql`select coalesce(sum(stored.bytes), 0)::float8 as count from files stored
    where stored.instance_id = ${instanceId}`)
  yield* sql`insert into instance_usage (instance_id, stored_rows, stored_bytes)
    values (${instanceId}, ${rows}::float8::int8, ${bytes}::float8::int8)
    on conflict (instance_id) do update set stored_rows = excluded.stored_rows, stored_bytes = excluded.stored_bytes`
})

/** Instances that store at least so many rows or bytes. 0 is no limit. */
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
