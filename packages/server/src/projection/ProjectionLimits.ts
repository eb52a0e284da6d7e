// Tuning constants of projections and sweeps that several files read.

/** The pause after a poll, so that writes in quick succession are indexed together. */
export const OUTBOX_GATHER_MILLIS = 20
/** The pause after a poll that found at least OUTBOX_BUSY_MIN entries. */
export const OUTBOX_BUSY_GATHER_MILLIS = 100
export const OUTBOX_BUSY_MIN = 8
/** How often an idle index advances its position, so that no sweep of the outbox overtakes it. */
export const POSITION_REFRESH_MILLIS = 300_000
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
