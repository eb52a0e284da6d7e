// A bounded number of tries for calls that may succeed a moment later, the waits between them spread at random.
import { Effect, Schedule } from "effect"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** Tries of a write that may succeed a moment later. */
const OPENSEARCH_WRITE_TRIES_MAX = 4
/** Wait before the second of them. */
const OPENSEARCH_WRITE_WAIT_MILLIS = 100
/** Tries of a search that may succeed a moment later. */
const OPENSEARCH_SEARCH_TRIES_MAX = 3
/** Wait before the second of them. */
const OPENSEARCH_SEARCH_WAIT_MILLIS = 20

const passing = (fault: unknown): boolean => fault instanceof OpenSearchFault && fault.kind === "away"

const retrying = (tries: number, waitMillis: number) => ({
  while: passing,
  times: tries - 1,
  schedule: Schedule.jittered(Schedule.exponential(waitMillis))
})

/** For writes, for which no caller waits. */
export const againLater = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, retrying(OPENSEARCH_WRITE_TRIES_MAX, OPENSEARCH_WRITE_WAIT_MILLIS))

/** For searches: a node that went away has left a copy of its shards on another. */
export const againSoon = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, retrying(OPENSEARCH_SEARCH_TRIES_MAX, OPENSEARCH_SEARCH_WAIT_MILLIS))
