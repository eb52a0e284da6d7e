// The one place where an unavailable source becomes an unavailable part, or fails the request (rule 4).
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import type { SourceUnavailable, UnavailableReason } from "../../failures/SourceUnavailable.ts"

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
