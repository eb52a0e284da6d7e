// Tuning numbers of the delivery worker.

/** Attempts that run at once in a process. */
export const ATTEMPTS_AT_ONCE = 256
/** Of these, attempts of one instance: a tenant whose receivers hang leaves the rest to the others. */
export const ATTEMPTS_AT_ONCE_INSTANCE = 128
/** Of these, attempts of one connector that answers. */
export const ATTEMPTS_AT_ONCE_CONNECTOR = 32
/** A connector that does not answer keeps this many. */
export const ATTEMPTS_AT_ONCE_SILENT = 2
