// What the stores of most records do, as types: a page, one, a change under its lock, a removal.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListRequest, ListRows } from "./ListRequest.ts"

/** A statement of the primary database, which may be unavailable. */
export type Stored<A, E = never> = Effect.Effect<A, E | SourceUnavailable>

export type Listed = (session: AuthorizedSession, request: ListRequest) => Stored<ListRows>

/** Undefined: unknown, foreign or not visible. */
export type Found<A> = (session: AuthorizedSession, id: number) => Stored<A | undefined>

/** Locks the record and asks what it shall be (null: no change); undefined where there is none. */
export type Updated<A, Fault = never> = <E>(
  session: AuthorizedSession,
  id: number,
  decide: (found: A) => Effect.Effect<A | null, E>
) => Stored<A | undefined, E | Fault>

/** `used`: something names the record, and it stays; undefined where there is none. */
export type Removed = (session: AuthorizedSession, id: number) => Stored<"removed" | "used" | undefined>
