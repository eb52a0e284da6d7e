// Bounds of the outbox in PostgreSQL and of what processes report in it.

/** Entries taken from the outbox at once, and appeals of a page of the first build. */
export const OUTBOX_BATCH_MAX = 500
/** Other processes are notified at most once in this time. */
export const OUTBOX_NOTIFY_MILLIS = 50
/** Older entries are deleted. An index that missed them is built again. */
export const OUTBOX_KEPT_MILLIS = 86_400_000
/** Entries deleted by one statement. */
export const OUTBOX_SWEEP_ROWS_MAX = 5_000
/** Waiting entries are counted up to this number; more show as this number. */
export const WAITING_COUNTED_MAX = 10_000
/** The longest wait of a projection, or of the listener of notifications, that failed. */
export const PROJECTION_RETRY_MILLIS_MAX = 5_000
/** Of several processes on one index one projects. After this silence another takes over. */
export const PROJECTION_LEASE_MILLIS = 3_000
/** How often the process that projects renews its lease. */
export const PROJECTION_LEASE_RENEWED_MILLIS = 500
/** The status of a process that has not reported for this long is removed. */
export const STATUS_SILENT_MILLIS_MAX = 60_000
