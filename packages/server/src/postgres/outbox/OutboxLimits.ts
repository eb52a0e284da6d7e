// Limits of the outbox and of its projections.

/** Entries of one batch, and appeals in a page of a rebuild. */
export const OUTBOX_BATCH_MAX = 500
export const OUTBOX_SWEEP_ROWS_MAX = 5_000
/** The longest pause before a failed projection, or the listener of notifications, is retried. */
export const PROJECTION_RETRY_MILLIS_MAX = 5_000
