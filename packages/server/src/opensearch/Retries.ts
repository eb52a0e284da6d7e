// Bounded retries with jittered exponential backoff, for an engine that is briefly unavailable.
import { Effect, Schedule } from "effect"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** Tries of a write. */
const OPENSEARCH_WRITE_TRIES_MAX = 4
/** Wait before its second try. */
const OPENSEARCH_WRITE_WAIT_MILLIS = 100
/** Tries of a search. */
const OPENSEARCH_SEARCH_TRIES_MAX = 3
/** Wait before its second try. */
const OPENSEARCH_SEARCH_WAIT_MILLIS = 20

const isTransient = (fault: unknown): boolean =>
  fault instanceof OpenSearchFault && fault.kind === "unavailable"

const retryOptions = (tries: number, waitMillis: number) => ({
  while: isTransient,
  times: tries - 1,
  schedule: Schedule.jittered(Schedule.exponential(waitMillis))
})

/** For writes: longer waits, because no caller waits. */
export const retryWrite = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, retryOptions(OPENSEARCH_WRITE_TRIES_MAX, OPENSEARCH_WRITE_WAIT_MILLIS))

/** For searches: another node has replicas of the shards of a lost one. */
export const retrySearch = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, retryOptions(OPENSEARCH_SEARCH_TRIES_MAX, OPENSEARCH_SEARCH_WAIT_MILLIS))
