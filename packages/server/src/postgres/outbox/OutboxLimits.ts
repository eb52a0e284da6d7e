// Bounds of the outbox in PostgreSQL and of what processes report in it.

/** Entries taken from the outbox at once, and appeals of a page of the first build. */
export const OUTBOX_BATCH_MAX = 500
/** Entries deleted by one statement. */
export const OUTBOX_SWEEP_ROWS_MAX = 5_000
/** The longest wait of a projection, or of the listener of notifications, that failed. */
export const PROJECTION_RETRY_MILLIS_MAX = 5_000
/** Of several processes on one index one projects. After this silence another takes over. */
export const PROJECTION_LEASE_MILLIS = 3_000
