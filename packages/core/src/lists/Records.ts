// The types of the use cases that every kind of record has (contract §1.2, §1.3, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AccessDenied, NotFound, SearchUnavailable, VersionConflict } from "@rapport/contract/Errors.ts"
import type { Effect, Stream } from "effect"
import type { OnceResult } from "../receipts/Receipts.ts"
import type { WriteFailure } from "../receipts/Writes.ts"
import type { ListPage } from "./ListRequest.ts"
import type { ListParameters, PageFailure } from "./Pages.ts"

/** Idempotency key; without one a repeat is a new command. */
export type IdempotencyKey = string | null

/** A patch without its expected version. */
export type ChangeOf<Patch> = Omit<Patch, "expectedVersion">

export type ListUseCase = (
  session: AuthorizedSession,
  parameters: ListParameters
) => Effect.Effect<ListPage, PageFailure>

/** The same NotFound for a record that is unknown, of another instance or not visible. */
export type GetUseCase<A> = (
  session: AuthorizedSession,
  id: number
) => Effect.Effect<A, AccessDenied | NotFound | SearchUnavailable>

/** All records of a list as a CSV file. */
export type ExportUseCase = (
  session: AuthorizedSession,
  parameters: ListParameters
) => Effect.Effect<Stream.Stream<string, SearchUnavailable>, PageFailure>

/** `Fault`: further errors of this kind of record. */
export type CreateUseCase<Request, A, Fault> = (
  session: AuthorizedSession,
  request: Request,
  key: IdempotencyKey
) => Effect.Effect<OnceResult<A>, AccessDenied | Fault | WriteFailure>

/** `Fault` as in CreateUseCase. */
export type UpdateUseCase<Patch, A, Fault> = (
  session: AuthorizedSession,
  id: number,
  expectedVersion: number,
  change: ChangeOf<Patch>,
  key: IdempotencyKey
) => Effect.Effect<OnceResult<A>, AccessDenied | NotFound | VersionConflict | Fault | WriteFailure>
