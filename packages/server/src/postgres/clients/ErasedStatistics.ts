// PostgreSQL keeps samples of what columns hold, to plan by: names, addresses and texts among them. They outlive the rows until a table
// is analyzed again, which it does by itself only after many changes (docs/operations.md, "Personal data").
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable, rowsOf } from "../sql/Query.ts"
import { clientDataParts } from "./ClientDataParts.ts"

const tables: ReadonlyArray<string> = [...clientDataParts.map(({ table }) => table), "record_values"]
const tableRows = rowsOf(Schema.Struct({ table: Schema.String }))

/** Analyzes the tables of clients that were not since the last erasure ended: all of them, however many clients were erased. */
export const forgetInStatistics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const due = yield* tableRows.all(sql`select stats.relname as table from pg_stat_user_tables stats
    where stats.schemaname = current_schema() and stats.relname = any(${tables}::text[])
      and (select max(finished_at) from client_erasures)
        >= coalesce(greatest(stats.last_analyze, stats.last_autoanalyze), '-infinity')
    order by stats.relname`)
  // One that takes longer than a statement may is tried again with the next round, and keeps no other from its turn.
  for (const { table } of due)
    yield* Effect.catchTag(sql`analyze ${sql(table)}`, "SqlError", (cause) =>
      Effect.logWarning(`the statistics of ${table} still hold what an erasure deleted`, cause)
    )
  return due.length
}).pipe(orUnavailable)
