// The handlers that every kind of record has: list, one, create, change (docs/contract.md §1.2, §1.3, §9).
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import type { ListPage } from "@rapport/core/lists/ListRequest.ts"
import type { AskedList } from "@rapport/core/lists/Pages.ts"
import type { Effected } from "@rapport/core/receipts/Receipts.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { asked, type Decoded } from "./Listed.ts"
import { type Conditional, type Keyed, keyIn, shown, versionIn, written } from "./Written.ts"

interface Versioned {
  readonly version: number
}
interface Recorded extends Versioned {
  readonly id: number
}
interface Change {
  readonly expectedVersion?: number
}
interface Placed {
  readonly params: { readonly id: number }
}

/** A page of records, as the store rendered them. */
export const listing =
  <E, R>(list: (session: AuthorizedSession, asked: AskedList) => Effect.Effect<ListPage, E, R>) =>
  ({ query }: { readonly query: Decoded }) =>
    Effect.gen(function* () {
      return HttpServerResponse.jsonUnsafe(yield* list(yield* CurrentSession, yield* asked(query)))
    })

/** One record with its ETag. */
export const getting =
  <A extends Versioned, E, R>(get: (session: AuthorizedSession, id: number) => Effect.Effect<A, E, R>) =>
  ({ params }: Placed) =>
    Effect.gen(function* () {
      return yield* shown(yield* get(yield* CurrentSession, params.id))
    })

interface Creation<Request> {
  readonly headers: Keyed
  readonly payload: Request
}
type Create<Request, A, E, R> = (
  session: AuthorizedSession,
  request: Request,
  key: string | null
) => Effect.Effect<Effected<A>, E, R>

/** 201 with the record, its ETag and its Location below the root. */
export const creating =
  <Request, A extends Recorded, E, R>(root: string, create: Create<Request, A, E, R>) =>
  ({ headers, payload }: Creation<Request>) =>
    Effect.gen(function* () {
      const made = yield* create(yield* CurrentSession, payload, keyIn(headers))
      const { id, version } = made.answer
      return yield* written(made, { status: 201, version, location: `${root}/${id}` })
    })

/** The same for records whose answer tells a replay in its body too. */
export const creatingNamed =
  <Request, A extends Recorded, Named extends object, E, R>(
    named: (record: A) => Named,
    root: string,
    create: Create<Request, A, E, R>
  ) =>
  ({ headers, payload }: Creation<Request>) =>
    Effect.gen(function* () {
      const made = yield* create(yield* CurrentSession, payload, keyIn(headers))
      const { id, version } = made.answer
      const record = yield* written(made, { status: 201, version, location: `${root}/${id}` })
      return { replayed: made.replayed, ...named(record) }
    })

/** The changed record with its new ETag; the version it was made from is in the body, in If-Match, or in both. */
export const updating =
  <Patch extends Change, A extends Versioned, E, R>(
    update: (
      session: AuthorizedSession,
      id: number,
      expectedVersion: number,
      change: Omit<Patch, "expectedVersion">,
      key: string | null
    ) => Effect.Effect<Effected<A>, E, R>
  ) =>
  ({
    headers,
    params,
    payload
  }: Placed & { readonly headers: Keyed & Conditional; readonly payload: Patch }) =>
    Effect.gen(function* () {
      const { expectedVersion, ...change } = payload
      const version = yield* versionIn(expectedVersion, headers)
      return yield* changed(yield* update(yield* CurrentSession, params.id, version, change, keyIn(headers)))
    })

/** A record after a write, with its ETag. */
export const changed = <A extends Versioned>(effected: Effected<A>) =>
  written(effected, { version: effected.answer.version })
