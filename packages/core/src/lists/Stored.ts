// The types of the methods that most stores have.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListRequest, ListRows } from "./ListRequest.ts"

/** A statement of the primary database, which may be unavailable. */
export type Stored<A, E = never> = Effect.Effect<A, E | SourceUnavailable>

export type Listed = (session: AuthorizedSession, request: ListRequest) => Stored<ListRows>

/** Undefined: unknown, of another instance or not visible. */
export type Found<A> = (session: AuthorizedSession, id: number) => Stored<A | undefined>

/** Locks the record and writes the result of `decide` (null: no change); undefined if there is no record. */
export type Updated<A, Fault = never> = <E>(
  session: AuthorizedSession,
  id: number,
  decide: (found: A) => Effect.Effect<A | null, E>
) => Stored<A | undefined, E | Fault>

/** `used`: not deleted, because another record references it; undefined if there is no record. */
export type Removed = (session: AuthorizedSession, id: number) => Stored<"removed" | "used" | undefined>
