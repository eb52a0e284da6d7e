// The lock of what users of an instance may see (user_access): its triggers take it at the first pair of group and member that
// changes. A transaction that changes several takes it before them, else two of them could wait for each other.
import type { SqlClient } from "effect/sql"

export const lockRights = (sql: SqlClient.SqlClient, instanceId: number) =>
  sql`select pg_advisory_xact_lock(7201, (${instanceId}::int8 % 2147483647)::int4)`
