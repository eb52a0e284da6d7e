// Locks the rights of an instance (user_access). Triggers take this lock at the first changed pair of group and member. A transaction
// that changes several pairs takes it before, to prevent deadlocks.
import type { Sql } from "../sql/Fragment.ts"

export const lockRights = (sql: Sql, instanceId: number) =>
  sql`select pg_advisory_xact_lock(7201, (${instanceId}::int8 % 2147483647)::int4)`
