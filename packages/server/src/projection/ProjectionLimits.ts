// Bounds of the projection into the search indexes, and of the sweeps.

/** Tries of an outbox entry before its appeal goes to quarantine. */
export const INDEX_TRIES_MAX = 5
/** Wait before the second try; each later one waits twice as long. */
export const INDEX_BACKOFF_MILLIS = 100
/** Appeals of one instance that wait for another try. Above it the index itself counts as broken. */
export const INDEX_AGAIN_MAX = 200
/** Messages read and written at once; a single appeal may have more. */
export const INDEX_MESSAGES_AT_ONCE = 1_000
/** Bytes of their text. */
export const INDEX_BYTES_AT_ONCE = 8 * 1024 * 1024
/** An appeal with more text is refused, and goes to quarantine. */
export const INDEX_APPEAL_BYTES_MAX = 64 * 1024 * 1024
/** How often the outbox is polled without a notification. */
export const OUTBOX_POLL_MILLIS = 250
/** How often it is polled while an open transaction holds a change back. */
export const OUTBOX_HELD_MILLIS = 20
/** The pause after a poll, so that writes in quick succession are indexed together. */
export const OUTBOX_GATHER_MILLIS = 20
/** The pause after one that found so many entries. */
export const OUTBOX_CROWD_GATHER_MILLIS = 100
export const OUTBOX_CROWD_MIN = 8
/** How often an index without work records its position, so that no sweep of the outbox passes it. */
export const POSITION_NOTED_MILLIS = 300_000
/** First wait of a projection that failed. */
export const PROJECTION_RETRY_MILLIS = 100
/** How often a process reports the status of its indexes. */
export const STATUS_MILLIS = 1_000
/** How often it reports a status that did not change. */
export const STATUS_UNCHANGED_MILLIS = 10_000
/** How often old outbox entries are deleted. */
export const OUTBOX_SWEEP_MILLIS = 60_000
/** How often ended sessions and spent refresh tokens are deleted. */
export const SESSION_SWEEP_MILLIS = 600_000
/** How often old receipts and import batches are deleted. */
export const RECEIPT_SWEEP_MILLIS = 600_000
/** Receipts deleted by one statement. */
export const RECEIPT_SWEEP_ROWS_MAX = 1_000
/** Import batches deleted by one statement. */
export const IMPORT_SWEEP_ROWS_MAX = 100
/** How often a process polls for an erasure of a client that is not finished. */
export const ERASURE_POLL_MILLIS = 1_000
/** How long an erasure is left alone whose slice failed; each later failure doubles it. */
export const ERASURE_RETRY_MILLIS = 1_000
export const ERASURE_RETRY_MILLIS_MAX = 600_000
/** Erasures that a process leaves alone at once; above it the one that failed longest ago is tried again. */
export const ERASURES_RESTING_MAX = 1_000
/** How often old entries of the audit log are deleted. */
export const AUDIT_SWEEP_MILLIS = 600_000
/** How often the history of states is walked. */
export const HISTORY_SWEEP_MILLIS = 3_600_000
/** How often tables are analyzed from which clients were erased. */
export const STATISTICS_SWEEP_MILLIS = 3_600_000
/** Rows deleted by one statement of the audit log and of the history. */
export const RETENTION_SWEEP_ROWS_MAX = 1_000
/** Wait for the lease before the first sweep. */
export const SWEEP_LEASE_MILLIS = 2_000
