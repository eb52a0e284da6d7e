// The types of the methods that most stores have.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListRequest, ListRows } from "./ListRequest.ts"

/** A statement of the primary database, which may be unavailable. */
export type StoreEffect<A, E = never> = Effect.Effect<A, E | SourceUnavailable>

export type ListMethod = (session: AuthorizedSession, request: ListRequest) => StoreEffect<ListRows>

/** Undefined: unknown, of another instance or not visible. */
export type FindMethod<A> = (session: AuthorizedSession, id: number) => StoreEffect<A | undefined>

/** Locks the record and writes the result of `decide` (null: no change); undefined if there is no record. */
export type UpdateMethod<A, Fault = never> = <E>(
  session: AuthorizedSession,
  id: number,
  decide: (found: A) => Effect.Effect<A | null, E>
) => StoreEffect<A | undefined, E | Fault>

/** `used`: not deleted, because another record references it; undefined if there is no record. */
export type RemoveMethod = (
  session: AuthorizedSession,
  id: number
) => StoreEffect<"removed" | "used" | undefined>

/** The methods for a kind of record that only permissions protect. Writes run in a transaction, with their audit entry. */
export interface RecordMethods<A, Fault = never> {
  readonly list: ListMethod
  readonly find: FindMethod<A>
  readonly create: (session: AuthorizedSession, content: Omit<A, "id" | "version">) => StoreEffect<A, Fault>
  readonly update: UpdateMethod<A, Fault>
}

export interface RemovableMethods<A> extends RecordMethods<A> {
  readonly remove: RemoveMethod
}
