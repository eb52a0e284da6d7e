// Bounds of the HTTP listener. What a caller can meet is in contract/src/Limits.ts.

/** Connections at once; more are closed as they come. */
export const CONNECTIONS_MAX = 8_192
/** How often the deadlines of connections are checked. */
export const CONNECTION_CHECK_MILLIS = 1_000
/** How long a stop waits for the requests that are being answered. */
export const DRAIN_MILLIS_MAX = 10_000
/** Requests that wait while the service starts behind its open port; the connections of more are closed. */
export const EARLY_REQUESTS_MAX = 1_000
