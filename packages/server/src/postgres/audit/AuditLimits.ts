// Bounds of the audit entries that wait to be written.

/** Entries written at once. */
export const AUDIT_BATCH_ENTRIES_MAX = 500
/** The pause after a batch that was not full; an entry is readable soon after it. */
export const AUDIT_GATHER_MILLIS = 100
