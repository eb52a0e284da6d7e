// Tuning numbers of the delivery worker.

/** Attempts that run at once in a process. */
export const ATTEMPTS_MAX = 256
/** Of these, attempts of one instance: a tenant whose receivers hang leaves the rest to the others. */
export const ATTEMPTS_INSTANCE_MAX = 128
/** Of these, attempts of one connector that answers. */
export const ATTEMPTS_CONNECTOR_MAX = 32
/** A connector that does not answer keeps this many. */
export const ATTEMPTS_SILENT_MAX = 2
