// Bounds of the projection into the search indexes, and of the sweeps.

/** Wait before the second try; each later one waits twice as long. */
export const INDEX_BACKOFF_MILLIS = 100
/** The pause after a poll, so that writes in quick succession are indexed together. */
export const OUTBOX_GATHER_MILLIS = 20
/** The pause after one that found so many entries. */
export const OUTBOX_CROWD_GATHER_MILLIS = 100
export const OUTBOX_CROWD_MIN = 8
/** How often an index without work records its position, so that no sweep of the outbox passes it. */
export const POSITION_NOTED_MILLIS = 300_000
/** How often a process reports the status of its indexes. */
export const STATUS_MILLIS = 1_000
/** How often ended sessions and spent refresh tokens are deleted. */
export const SESSION_SWEEP_MILLIS = 600_000
/** How often old receipts and import batches are deleted. */
export const RECEIPT_SWEEP_MILLIS = 600_000
/** Receipts deleted by one statement. */
export const RECEIPT_SWEEP_ROWS_MAX = 1_000
/** Import batches deleted by one statement. */
export const IMPORT_SWEEP_ROWS_MAX = 100
