// Use cases that are the same for every kind of record, made of what its store can do: list, one, change
// (docs/contract.md §1.2, §1.3, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, NotFound } from "@rapport/contract/Errors.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import { Effect, type Schema } from "effect"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Receipts } from "../receipts/Receipts.ts"
import { fresh, patched, requireVersion } from "../receipts/Writes.ts"
import type { Pages } from "./Pages.ts"
import type { Key, Reading } from "./Records.ts"
import type { Found, Listed, Updated } from "./Stored.ts"

type Access = (session: AuthorizedSession) => Effect.Effect<void, AccessDenied>

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
  list: (session, asked) =>
    pages.page({
      session,
      collection: options.collection,
      asked,
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
    /** What the change names, in its transaction. */
    readonly check?: (
      session: AuthorizedSession,
      id: number,
      change: Change
    ) => Effect.Effect<void, Refused | SourceUnavailable>
  }
) =>
  Effect.fn(`${options.name}.update`)(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: Change,
    key: Key
  ) {
    const { answer, check, find, normal, operation, update } = options
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
            return patched(present, next)
          })
        )
        return fresh(updated ?? (yield* new NotFound()))
      })
    )
  }, orUnavailable)
