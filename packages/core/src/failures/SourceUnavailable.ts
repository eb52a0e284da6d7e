// The one error of every adapter: a store that a request needs did not answer as it should.
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Data, Effect } from "effect"

export type Source = "database" | "context_store" | "search" | "client_memory"

/** The `reason` of a 503 (docs/contract.md §3.4). */
export type UnavailableReason =
  | "capability_disabled"
  | "database_unavailable"
  | "context_store_not_ready"
  | "search_index_not_ready"
  | "search_index_unavailable"
  | "client_memory_not_ready"
  | "storage_full"
  | "timeout"

/** `cause` is for logs alone and never reaches an answer. */
export class SourceUnavailable extends Data.TaggedError("SourceUnavailable")<{
  readonly source: Source
  readonly reason: UnavailableReason
  readonly cause?: unknown
}> {}

/** What every route answers when a source it needs is away: 503 with the reason, nothing of the cause. */
export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SourceUnavailable> | SearchUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    error instanceof SourceUnavailable
      ? new SearchUnavailable({ reason: error.reason })
      : (error as Exclude<E, SourceUnavailable>)
  )
