// Use cases that are the same for every kind of record, over its store (contract §1.2, §1.3, §9).
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import { Effect, type Schema } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { type OnceOptions, Receipts } from "../receipts/Receipts.ts"
import { firstResult, applyPatch, requireVersion } from "../receipts/Writes.ts"
import { type ListParameters, type PageOptions, Pages } from "./Pages.ts"
import type { IdempotencyKey } from "./Records.ts"
import type { FindMethod, ListMethod, RecordMethods, RemoveMethod, UpdateMethod } from "./StoreMethods.ts"

type Access = (session: AuthorizedSession) => Effect.Effect<void, AccessDenied>

type Following<A> = (present: A, change: Partial<A>) => Partial<A>

interface ListOptions {
  readonly collection: Collection
  readonly access: Access
  readonly list: ListMethod
}

/** `name` is the name of the service, for spans. */
interface ReadOptions<A> extends ListOptions {
  readonly name: string
  readonly find: FindMethod<A>
}

const pageOf = (
  { access, collection, list }: ListOptions,
  session: AuthorizedSession,
  parameters: ListParameters
): PageOptions => ({
  session,
  collection,
  parameters,
  access: access(session),
  rows: (request) => list(session, request)
})

export const listUseCase =
  (pages: Pages["Service"], options: ListOptions) =>
  (session: AuthorizedSession, parameters: ListParameters) =>
    pages.page(pageOf(options, session, parameters))

/** The same NotFound for a record that is unknown, of another instance or not visible. */
export const readUseCases = <A>(pages: Pages["Service"], options: ReadOptions<A>) => ({
  list: listUseCase(pages, options),

  get: Effect.fn(`${options.name}.get`)(function* (session: AuthorizedSession, id: number) {
    yield* options.access(session)
    return yield* requireRecord(options.find, session, id)
  }, orUnavailable)
})

/** The export of a list that `readUseCases` also reads. */
export const exportUseCase =
  (pages: Pages["Service"], options: ListOptions) =>
  (session: AuthorizedSession, parameters: ListParameters) =>
    pages.csv(pageOf(options, session, parameters))

/** NotFound for a record that a store does not find. */
export const orNotFound = <A, E, R>(
  found: Effect.Effect<A | undefined, E, R>
): Effect.Effect<A, E | NotFound, R> =>
  Effect.flatMap(found, (record): Effect.Effect<A, NotFound> =>
    record === undefined ? Effect.fail(new NotFound()) : Effect.succeed(record)
  )

/** The record, if the caller may see it. */
export const requireRecord = <A>(find: FindMethod<A>, session: AuthorizedSession, id: number) =>
  orNotFound(find(session, id))

/** Changes a record under its key. A repeat requires that the caller may still change it, which `allowed` checks. */
export const changeOnce = <A, I, E, F, R>(
  receipts: Receipts["Service"],
  { allowed, ...once }: OnceOptions<A, I> & { readonly allowed: Effect.Effect<unknown, F> },
  change: Effect.Effect<A | undefined, E, R>
) =>
  Effect.andThen(
    once.key === null ? Effect.void : allowed,
    receipts.once(once, () => Effect.map(orNotFound(change), firstResult))
  )

/**
 * Patches a record under its lock if the expected version is the present one. A replay also requires that the caller may see
 * the record.
 */
export const updateUseCase = <
  A extends { readonly version: number },
  I,
  Change,
  Fault = never,
  Refused = never
>(
  receipts: Receipts["Service"],
  options: {
    readonly name: string
    /** For example `checklist.update`. */
    readonly operation: string
    readonly access: (
      session: AuthorizedSession,
      change: Change
    ) => Effect.Effect<void, AccessDenied | Refused>
    readonly answer: Schema.Codec<A, I>
    readonly find: FindMethod<A>
    readonly update: UpdateMethod<A, Fault>
    /** Normal form, so that equal changes are equal commands. */
    readonly normal: (change: Change) => Partial<A>
    /** Members that follow from a change of the present record; none unless given. */
    readonly following?: Following<A> | undefined
    /** Checks the records that the change references, in its transaction. */
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
    key: IdempotencyKey
  ) {
    const { answer, check, find, following, normal, operation, update } = options
    yield* options.access(session, change)
    const next = normal(change)
    const command = { operation, pathIds: [id], content: { ...next, expectedVersion } }
    const updated = update(session, id, (present) =>
      Effect.gen(function* () {
        if (check !== undefined) yield* check(session, id, change)
        yield* requireVersion(present.version, expectedVersion)
        return applyPatch(present, { ...next, ...following?.(present, next) })
      })
    )
    const allowed = requireRecord(find, session, id)
    return yield* changeOnce(receipts, { caller: session, command, key, answer, allowed }, updated)
  }, orUnavailable)

/** List, get, create and update of a record for which only permissions decide. */
export const recordUseCases = Effect.fnUntraced(function* <
  A extends { readonly version: number },
  I,
  Change,
  Request extends Change,
  Fault = never,
  Refused = never
>(options: {
  /** Name of the service, for spans. */
  readonly name: string
  /** For example `checklist`, for the operations `checklist.create` and `checklist.update`. */
  readonly entity: string
  readonly collection: Collection
  readonly toRead: Permission
  readonly toWrite: Permission
  readonly answer: Schema.Codec<A, I>
  readonly store: RecordMethods<A, Fault>
  /** Normal form with all defaults, so that equal requests are equal commands. */
  readonly made: (request: Request) => Omit<A, "id" | "version">
  /** Normal form of a change. */
  readonly normal: (change: Change) => Partial<A>
  readonly following?: Following<A>
  /** Checks the members of a request before anything is read. */
  readonly validate?: (session: AuthorizedSession, named: Change) => Effect.Effect<void, Refused>
  /** Checks referenced records, in the transaction of the write; `id` is null for a new record. */
  readonly check?: (
    session: AuthorizedSession,
    id: number | null,
    named: Change
  ) => Effect.Effect<void, Refused | SourceUnavailable>
}) {
  const receipts = yield* Receipts
  const { answer, check, entity, made, name, normal, store, toRead, toWrite } = options
  const { create, find, list, update } = store
  const access = (session: AuthorizedSession, named: Change) =>
    Effect.andThen(Permissions.require(session, toWrite), options.validate?.(session, named) ?? Effect.void)
  return {
    ...readUseCases(yield* Pages, {
      name,
      collection: options.collection,
      access: (session) => Permissions.require(session, toRead),
      list,
      find
    }),

    create: Effect.fn(`${name}.create`)(function* (
      session: AuthorizedSession,
      request: Request,
      key: IdempotencyKey
    ) {
      yield* access(session, request)
      const content = made(request)
      const command = { operation: `${entity}.create`, pathIds: [], content }
      return yield* receipts.once({ caller: session, command, key, answer }, () =>
        Effect.gen(function* () {
          if (check !== undefined) yield* check(session, null, request)
          return firstResult(yield* create(session, content))
        })
      )
    }, orUnavailable),

    update: updateUseCase(receipts, {
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

/** `used`: the error for a record that another record references. */
export const removeUseCase = (options: {
  readonly name: string
  readonly permission: Permission
  readonly remove: RemoveMethod
  readonly used: string
}) =>
  Effect.fn(`${options.name}.remove`)(function* (session: AuthorizedSession, id: number) {
    yield* Permissions.require(session, options.permission)
    const removed = yield* options.remove(session, id)
    if (removed === undefined) return yield* new NotFound()
    if (removed === "used") return yield* new StateNotAllowed({ detail: options.used })
  }, orUnavailable)
