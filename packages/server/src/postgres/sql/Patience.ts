// How long work that serves all tenants waits for rows of one: its transaction fails soon, and is made again without them.
import type { SqlClient, Statement } from "effect/sql"

/** What a request would wait for a lock is eight times as long. */
const PATIENCE_MILLIS = 250

/** The CTE `patience`, of one row: whoever reads from it waits for no lock of this transaction any longer than that. */
export const patience = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`patience as materialized (select set_config('lock_timeout', ${`${PATIENCE_MILLIS}ms`}, true))`
