// The use cases that every kind of record has, as types: list, one, create, change, delete (contract §1.2, §1.3, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type {
  AccessDenied,
  NotFound,
  SearchUnavailable,
  StateNotAllowed,
  VersionConflict
} from "@rapport/contract/Errors.ts"
import type { Effect } from "effect"
import type { Effected } from "../receipts/Receipts.ts"
import type { WriteFailure } from "../receipts/Writes.ts"
import type { ListPage } from "./ListRequest.ts"
import type { ListParameters, PageFailure } from "./Pages.ts"

/** Without a key every request is a command of its own. */
export type Key = string | null

/** What a patch changes, without the version that it was made from. */
export type ChangeOf<Patch> = Omit<Patch, "expectedVersion">

export interface Reading<A> {
  readonly list: (
    session: AuthorizedSession,
    parameters: ListParameters
  ) => Effect.Effect<ListPage, PageFailure>
  /** NotFound in the same words for a record that is unknown, foreign or not visible. */
  readonly get: (
    session: AuthorizedSession,
    id: number
  ) => Effect.Effect<A, AccessDenied | NotFound | SearchUnavailable>
}

/** `Fault` is how this kind of record may be refused beside rights and receipts. */
export interface Creating<Request, A, Fault> {
  readonly create: (
    session: AuthorizedSession,
    request: Request,
    key: Key
  ) => Effect.Effect<Effected<A>, AccessDenied | Fault | WriteFailure>
}

/** `Fault` as in Creating. */
export interface Updating<Patch, A, Fault> {
  readonly update: (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: ChangeOf<Patch>,
    key: Key
  ) => Effect.Effect<Effected<A>, AccessDenied | NotFound | VersionConflict | Fault | WriteFailure>
}

/** StateNotAllowed where something names the record. */
export interface Removing {
  readonly remove: (
    session: AuthorizedSession,
    id: number
  ) => Effect.Effect<void, AccessDenied | NotFound | StateNotAllowed | SearchUnavailable>
}
