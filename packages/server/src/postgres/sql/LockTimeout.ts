// The lock timeout of background work that serves all tenants: its transaction fails soon and is retried without the locked rows.
import { sql } from "./Fragment.ts"

/** An eighth of the lock timeout of requests. */
const SHORT_LOCK_MILLIS = 250

/** The CTE `short_lock_timeout`, of one row: a statement that reads from it sets the lock timeout of its transaction. */
export const shortLockTimeout = sql`short_lock_timeout as materialized (select set_config('lock_timeout', ${`${SHORT_LOCK_MILLIS}ms`}, true))`
