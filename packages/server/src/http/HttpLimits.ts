// Bounds of the HTTP listener. What a caller can meet is in contract/src/Limits.ts.

/** Connections at once; more are closed as they come. */
export const CONNECTIONS_MAX = 8_192
/** How often the deadlines of connections are checked. */
export const CONNECTION_CHECK_MILLIS = 1_000
/** How long a stop waits for the requests that are being answered. */
export const DRAIN_MILLIS_MAX = 10_000
/** Requests that wait while the service starts behind its open port; the connections of more are closed. */
export const EARLY_REQUESTS_MAX = 1_000

/** Requests that execute, of all tenants and of one. */
export const EXECUTING_MAX = 256
export const EXECUTING_OF_TENANT = 16
/** Requests of one tenant that execute while another tenant sent a request within CONTENDED_MILLIS. */
export const EXECUTING_CONTENDED = 2
export const CONTENDED_MILLIS = 1_000
/** A request that takes longer waits for something else, and no longer counts as executing. */
export const EXECUTING_COUNTED_MILLIS = 100
/** Requests of one tenant that wait for their turn, and how long each waits. */
export const QUEUE_OF_TENANT_MAX = 1_000
export const QUEUE_MILLIS_MAX = 10_000
/** Bytes of long bodies that are read and worked on together. */
export const BODY_BYTES_RUNNING = 32 * 1024 * 1024
/** A place stands for so many bytes. A body that is no longer takes none: the limits of concurrency bound these. */
export const BODY_PLACE_BYTES = 64 * 1024
/** The share of one tenant: more than the longest body. */
export const BODY_SHARE = 0.75
/** Long bodies of one tenant that wait, and how long each waits: half of the time in which a body has to arrive. */
export const BODY_WAITING_MAX = 256
export const BODY_WAIT_MILLIS_MAX = 15_000
