// `rapport status`: a summary of the service from its database.
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { indexSummary } from "../postgres/outbox/IndexOperations.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { align, print } from "./Output.ts"

const databaseRows = rowsOf(
  Schema.Struct({
    instances: Schema.Int,
    users: Schema.Int,
    outbox: Schema.Int,
    erasuresRunning: Schema.Int,
    importsRunning: Schema.Int,
    deliveriesDue: Schema.Int,
    connections: Schema.Int,
    connectionsMax: Schema.Int,
    oldestTransactionMs: Schema.Finite,
    databaseBytes: Schema.Finite,
    migration: Schema.String
  })
)

/** Counting stops at this number, which then means "or more". */
const COUNTED_MAX = 10_000
const countOf = (rows: number): string => `${rows}${rows === COUNTED_MAX ? " or more" : ""}`

const readStatus = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { instances, users, ...database } = yield* databaseRows.get(sql`select
      (select count(*)::int4 from instances) as instances, (select count(*)::int4 from users) as users,
      (select count(*)::int4 from (select 1 from outbox limit ${COUNTED_MAX}::int4) entry) as outbox,
      (select count(*)::int4 from client_erasures where finished_at is null) as "erasuresRunning",
      (select count(*)::int4 from import_batches where status = 'running' and leased_until > now()) as "importsRunning",
      (select count(*)::int4 from (select 1 from delivery_lines where due_at <= now() limit ${COUNTED_MAX}::int4) due) as "deliveriesDue",
      (select count(*)::int4 from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections')::int4 as "connectionsMax",
      (select coalesce(max(extract(epoch from now() - xact_start) * 1000), 0)::float8 from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()) as "oldestTransactionMs",
      pg_database_size(current_database())::float8 as "databaseBytes",
      (select lpad(migration_id::text, 4, '0') || '_' || name from migrations order by migration_id desc limit 1) as migration`)
  return { instances, users, ...(yield* indexSummary), ...database }
})

const MIB = 1024 * 1024

export const statusCommand = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const status = yield* readStatus
    const rows = Object.entries({
      ...status,
      outbox: countOf(status.outbox),
      deliveriesDue: countOf(status.deliveriesDue),
      databaseBytes: `${Math.round(status.databaseBytes / MIB)} MiB`
    })
    yield* print(status, align(rows))
  }, onDatabase)
).pipe(
  Command.withDescription("Show a summary of the service: processes, indexes, queues, connections, size"),
  Command.withExamples([
    { command: "rapport status --json | jq .indexLagMs", description: "How far search is behind" }
  ])
)
