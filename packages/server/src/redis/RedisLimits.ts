// Tuning of Redis, which limits are shared through. What a caller can meet is in contract/src/Limits.ts.

/** How often a Redis that is away is tried; no request waits for it meanwhile. */
export const REDIS_PROBE_MILLIS = 250
/** How long the start waits for Redis, beyond what a request does. */
export const REDIS_START_MILLIS_MAX = 1_000
/** How long a connection may take to be made. */
export const REDIS_CONNECT_MILLIS_MAX = 2_000
/** Longest pause between two tries to connect. */
export const REDIS_RECONNECT_MILLIS_MAX = 1_000
/** A silent connection is asked for a sign of life so often, */
export const REDIS_PING_MILLIS = 3_000
/** and is given up when none has come for so long. */
export const REDIS_SILENT_MILLIS_MAX = 10_000
/** Commands without an answer: further ones fail at once. */
export const REDIS_COMMANDS_WAITING_MAX = 10_000
/** How often a login asks whether those before it, in any process, are decided. */
export const LOGIN_POLL_MILLIS = 100
/** After so long an attempt of a process that died is decided: longer than any password waits to be verified. */
export const LOGIN_PENDING_MILLIS_MAX = 30_000
/** A process shows that it lives so often, */
export const PROCESS_SHOWN_MILLIS = 1_000
/** and what it held is free when it has shown nothing for so long. */
export const PROCESS_LIVES_MILLIS = 4_000
/** Places that nobody asked for are forgotten after this: longer than any request lasts. */
export const PLACES_KEPT_MILLIS = 300_000
