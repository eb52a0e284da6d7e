// Bounds of the audit entries that wait to be written.

/** Entries of reads that wait to be written. */
export const AUDIT_QUEUE_ENTRIES_MAX = 10_000
/** Entries written at once. */
export const AUDIT_BATCH_ENTRIES_MAX = 500
/** The pause after a batch that was not full; an entry is readable soon after it. */
export const AUDIT_GATHER_MILLIS = 100
/** How long a stop waits for the entries that are left. */
export const AUDIT_DRAIN_MILLIS_MAX = 5_000
