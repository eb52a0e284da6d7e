// Tuning of the processes that share one port.
import type { Bounded } from "@rapport/contract/Limits.ts"

/** RAPPORT_WORKERS: processes that serve HTTP; 1: the one that was started, alone. */
export const WorkersLimits = { minimum: 1, default: 1, maximum: 64 } as const satisfies Bounded
/** Connections of the parent to PostgreSQL: projectors, deliveries, sweeps, notifications. */
export const PARENT_CONNECTIONS = 8
/** Connections of a worker at least, where RAPPORT_POOL_SIZE is as large: with fewer, short reads have no lanes (Lanes.ts). */
export const WORKER_CONNECTIONS_MIN = 12
/** How long a worker waits for what it asks of its parent before it decides by itself. */
export const PARENT_ANSWER_MILLIS_MAX = 1_000
/** How long the parent waits for the metrics of a worker. */
export const WORKER_METRICS_MILLIS_MAX = 1_000
/** How long the stop of a worker may take before it is killed: its drain and a little more. */
export const WORKER_STOP_MILLIS_MAX = 15_000
/** How long a worker may take to serve after it was started. */
export const WORKER_START_MILLIS_MAX = 60_000
/** The wait before a worker is replaced: at once for one that served for a while, else doubled from the first to the last. */
export const WORKER_STEADY_MILLIS = 30_000
export const WORKER_DELAY_MILLIS = 250
export const WORKER_DELAY_MILLIS_MAX = 10_000
/** Of a bucket a worker borrows this at most beyond what it needs, and with the other workers this part of what is left. */
export const EXTRA_MAX = 16
export const EXTRA_SHARE = 4
/** What nobody needed for so long, a worker gives back. */
export const BORROWED_LOOK_MILLIS = 1_000
/** How long the parent waits for what it called back: less than workers wait for its answer. */
export const RECALL_MILLIS_MAX = 250
