// Tuning numbers of the delivery worker.

/** Attempts that run at once in a process. */
export const ATTEMPTS_AT_ONCE = 256
/** Of these, attempts of one instance: a tenant whose receivers hang leaves the rest to the others. */
export const ATTEMPTS_AT_ONCE_INSTANCE = 128
/** Of these, attempts of one connector that answers. */
export const ATTEMPTS_AT_ONCE_CONNECTOR = 32
/** A connector that does not answer keeps this many. */
export const ATTEMPTS_AT_ONCE_SILENT = 2
/** Connectors whose share is remembered while nothing of theirs is under way. */
export const CONNECTORS_REMEMBERED_MAX = 1_000
/** How long a connector rests at most when its provider is overrun; one chat may be asked to wait longer. */
export const THROTTLED_MILLIS_MAX = 5_000

/** Between the parts of one text: Telegram takes about one message a second of a chat. */
export const PART_PAUSE_MILLIS = 1_000

/** A claimed line that is not renewed for so long goes to another process: what a killed one held. */
export const LEASE_MILLIS = 10_000
/** How often lines that are worked on are renewed. */
export const LEASE_RENEWED_MILLIS = 3_000
/** A poll without a notification, for what was enqueued by a process that died before it could notify. */
export const DELIVERY_POLL_MILLIS = 10_000
/** What ends close together is followed by one claim. */
export const DELIVERY_GATHER_MILLIS = 10
/** The wait after a claim or a settlement that failed. */
export const DELIVERY_RETRY_MILLIS = 500
/** How long attempts may go on at a graceful stop; what still runs then is released, and tried by the next process. */
export const DELIVERY_DRAIN_MILLIS_MAX = 5_000
/** How long a stop waits for the database to take what became of the last attempts. */
export const SETTLED_AT_STOP_MILLIS_MAX = 2_000
