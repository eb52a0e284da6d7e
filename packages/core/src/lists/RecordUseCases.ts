// Use cases that are the same for every kind of record, made of what its store can do: list, one, create, change, delete
// (contract §1.2, §1.3, §9).
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import { Effect, type Schema } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { fresh, patched, requireVersion } from "../receipts/Writes.ts"
import { Pages } from "./Pages.ts"
import type { Key, Reading } from "./Records.ts"
import type { Found, Listed, Removed, Stored, Updated } from "./Stored.ts"

type Access = (session: AuthorizedSession) => Effect.Effect<void, AccessDenied>

type Following<A> = (present: A, change: Partial<A>) => Partial<A>

/** `name` is that of the service, for its spans. */
export const reading = <A>(
  pages: Pages["Service"],
  options: {
    readonly name: string
    readonly collection: Collection
    readonly access: Access
    readonly list: Listed
    readonly find: Found<A>
  }
): Reading<A> => ({
  list: (session, parameters) =>
    pages.page({
      session,
      collection: options.collection,
      parameters,
      access: options.access(session),
      rows: (request) => options.list(session, request)
    }),

  get: Effect.fn(`${options.name}.get`)(function* (session, id) {
    yield* options.access(session)
    return yield* found(options.find, session, id)
  }, orUnavailable)
})

/** The record, if the caller may see it. */
export const found = <A>(find: Found<A>, session: AuthorizedSession, id: number) =>
  Effect.flatMap(find(session, id), (record): Effect.Effect<A, NotFound> =>
    record === undefined ? Effect.fail(new NotFound()) : Effect.succeed(record)
  )

/**
 * Patches a record under its lock, from the version that the caller read. Only a caller who may see the record gets a
 * replay, too.
 */
export const patching = <A extends { readonly version: number }, I, Change, Fault = never, Refused = never>(
  receipts: Receipts["Service"],
  options: {
    readonly name: string
    /** As `checklist.update`. */
    readonly operation: string
    readonly access: Access
    readonly answer: Schema.Codec<A, I>
    readonly find: Found<A>
    readonly update: Updated<A, Fault>
    /** The same for equal changes, so that they are equal commands. */
    readonly normal: (change: Change) => Partial<A>
    /** Members that follow from a change of the present record; none unless given. */
    readonly following?: Following<A> | undefined
    /** What the change names, in its transaction. */
    readonly check?:
      | ((
          session: AuthorizedSession,
          id: number,
          change: Change
        ) => Effect.Effect<void, Refused | SourceUnavailable>)
      | undefined
  }
) =>
  Effect.fn(`${options.name}.update`)(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: Change,
    key: Key
  ) {
    const { answer, check, find, following, normal, operation, update } = options
    yield* options.access(session)
    if (key !== null) yield* found(find, session, id)
    const next = normal(change)
    const command = { operation, pathIds: [id], content: { ...next, expectedVersion } }
    return yield* receipts.once({ caller: session, command, key, answer }, () =>
      Effect.gen(function* () {
        const updated = yield* update(session, id, (present) =>
          Effect.gen(function* () {
            if (check !== undefined) yield* check(session, id, change)
            yield* requireVersion(present.version, expectedVersion)
            return patched(present, { ...next, ...following?.(present, next) })
          })
        )
        return fresh(updated ?? (yield* new NotFound()))
      })
    )
  }, orUnavailable)

/** List, one, create and change of a record that the permissions alone decide about. */
export const records = Effect.fnUntraced(function* <
  A extends { readonly version: number },
  I,
  Content,
  Change,
  Request extends Change,
  Fault = never,
  Refused = never
>(options: {
  /** Of the service, for its spans. */
  readonly name: string
  /** As `checklist`, of the operations `checklist.create` and `checklist.update`. */
  readonly entity: string
  readonly collection: Collection
  readonly toRead: Permission
  readonly toWrite: Permission
  readonly answer: Schema.Codec<A, I>
  readonly list: Listed
  readonly find: Found<A>
  readonly create: (session: AuthorizedSession, content: Content) => Stored<A, Fault>
  readonly update: Updated<A, Fault>
  /** With all defaults; the same for equal requests, so that they are equal commands. */
  readonly made: (request: Request) => Content
  /** The same for equal changes. */
  readonly normal: (change: Change) => Partial<A>
  readonly following?: Following<A>
  /** What is named, in the transaction of the write; null: of a record that is made. */
  readonly check?: (
    session: AuthorizedSession,
    id: number | null,
    named: Change
  ) => Effect.Effect<void, Refused | SourceUnavailable>
}) {
  const receipts = yield* Receipts
  const { answer, check, create, entity, find, list, made, name, normal, toRead, toWrite, update } = options
  const access = (session: AuthorizedSession) => Permissions.require(session, toWrite)
  return {
    ...reading(yield* Pages, {
      name,
      collection: options.collection,
      access: (session) => Permissions.require(session, toRead),
      list,
      find
    }),

    create: Effect.fn(`${name}.create`)(function* (session: AuthorizedSession, request: Request, key: Key) {
      yield* access(session)
      const content = made(request)
      const command = { operation: `${entity}.create`, pathIds: [], content }
      return yield* receipts.once({ caller: session, command, key, answer }, () =>
        Effect.gen(function* () {
          if (check !== undefined) yield* check(session, null, request)
          return fresh(yield* create(session, content))
        })
      )
    }, orUnavailable),

    update: patching(receipts, {
      name,
      operation: `${entity}.update`,
      access,
      answer,
      find,
      update,
      normal,
      following: options.following,
      check
    })
  }
})

/** `used`: why a record that something names is not deleted. */
export const removing = (options: {
  readonly name: string
  readonly permission: Permission
  readonly remove: Removed
  readonly used: string
}) =>
  Effect.fn(`${options.name}.remove`)(function* (session: AuthorizedSession, id: number) {
    yield* Permissions.require(session, options.permission)
    const removed = yield* options.remove(session, id)
    if (removed === undefined) return yield* new NotFound()
    if (removed === "used") return yield* new StateNotAllowed({ detail: options.used })
  }, orUnavailable)
