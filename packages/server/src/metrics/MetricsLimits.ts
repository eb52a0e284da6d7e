// Tuning of what the service reports about itself.

/** Lines of the access log that wait to be written; further ones are left out. */
export const ACCESS_LINES_WAITING_MAX = 10_000
/** How often the delay of the event loop is summed up. */
export const LOOP_DELAY_MILLIS = 10_000
/** How finely it is measured. */
export const LOOP_DELAY_RESOLUTION_MILLIS = 20
/** Connections to the port of metrics. */
export const METRICS_CONNECTIONS_MAX = 32
/** How long such a request may take to come. */
export const METRICS_REQUEST_MILLIS_MAX = 5_000
