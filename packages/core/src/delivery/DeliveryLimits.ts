// Tuning constants of the delivery worker that several files read.

/** Concurrent attempts of a process. */
export const ATTEMPTS_MAX = 256
/** Concurrent attempts of one instance, so that hanging receivers of a tenant do not block the others. */
export const ATTEMPTS_INSTANCE_MAX = 128
/** Concurrent attempts of one connector that answers without throttling. */
export const ATTEMPTS_CONNECTOR_MAX = 32
/** Concurrent attempts of a connector that does not answer, or throttles. */
export const ATTEMPTS_SILENT_MAX = 2
