// Batches of audit entries.

/** The longest batch, written in one statement. */
export const AUDIT_BATCH_ENTRIES_MAX = 500
/** The pause before a batch that is not full. */
export const AUDIT_GATHER_MILLIS = 100
