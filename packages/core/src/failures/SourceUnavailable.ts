// The one error of every adapter, a store that a request needs did not answer as it should, and the two things it becomes: a 503,
// or a part of a pack that is unavailable (rule 4).
import { SearchUnavailable, type UnavailableReason } from "@rapport/contract/Errors.ts"
import { Data, Effect, Schema } from "effect"

export const Source = Schema.Literals(["database", "context_store", "search", "client_memory"])
export type Source = typeof Source.Type

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

/** A part of a pack: what was read, or why it could not be. */
export type Attempted<A> = { readonly _tag: "Available"; readonly value: A } | Unavailable

/** A source or a part that could not be read. */
export interface Unavailable {
  readonly _tag: "Unavailable"
  readonly reason: UnavailableReason
}

export const available = <A>(value: A): Attempted<A> => ({ _tag: "Available", value })
export const unavailable = (reason: UnavailableReason): Unavailable => ({ _tag: "Unavailable", reason })

/** With `allowPartial` an unavailable source becomes an unavailable part; without it the request fails: 503 SEARCH_UNAVAILABLE and its reason. */
export const attempt =
  (allowPartial: boolean) =>
  <A, R>(part: Effect.Effect<A, SourceUnavailable, R>): Effect.Effect<Attempted<A>, SearchUnavailable, R> =>
    Effect.catch(Effect.map(part, available), ({ reason }) =>
      allowPartial ? Effect.succeed(unavailable(reason)) : Effect.fail(new SearchUnavailable({ reason }))
    )
