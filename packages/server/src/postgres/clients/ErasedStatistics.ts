// Analyzes tables after an erasure, because planner statistics contain samples of personal data until then
// (docs/operations.md, "Personal data").
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable, valuesOf } from "../sql/Query.ts"
import { clientDataParts } from "./ClientDataParts.ts"

const tables: ReadonlyArray<string> = [
  ...clientDataParts.map(({ table }) => table),
  "client_contacts",
  "record_values"
]
const tableRows = valuesOf(Schema.String)

/** Analyzes the tables of clients that were not analyzed since the last finished erasure. */
export const analyzeErasedTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const due = yield* tableRows.all(sql`select stats.relname from pg_stat_user_tables stats
    where stats.schemaname = current_schema() and stats.relname = any(${tables}::text[])
      and (select max(finished_at) from client_erasures)
        >= coalesce(greatest(stats.last_analyze, stats.last_autoanalyze), '-infinity')
    order by stats.relname`)
  // A table that exceeds the statement timeout is retried in the next round.
  for (const table of due)
    yield* Effect.catchTag(sql`analyze ${sql(table)}`, "SqlError", (cause) =>
      Effect.logWarning(`the statistics of ${table} still contain erased values`, cause)
    )
  return due.length
}).pipe(orUnavailable)
