// Subjects: make, read, list and change them; one level of parents and not more (docs/contract.md §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  Subject,
  type SubjectPatch,
  type SubjectRequest,
  subjects as collection
} from "@rapport/contract/directory/DirectoryApi.ts"
import {
  type InvalidRequest,
  NotFound,
  type UniqueConflict,
  type Violation
} from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { Creating, Reading, Updating } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { patched, refuse, requireVersion, unknownRecord } from "../receipts/Writes.ts"
import { DirectoryStore, type Parentage } from "./DirectoryStore.ts"

type Refused = InvalidRequest | UniqueConflict

export class Subjects extends Context.Service<
  Subjects,
  Reading<Subject> & Creating<SubjectRequest, Subject, Refused> & Updating<SubjectPatch, Subject, Refused>
>()("core/directory/Subjects") {
  static readonly layer = Layer.effect(
    Subjects,
    Effect.gen(function* () {
      const store = yield* DirectoryStore
      const receipts = yield* Receipts
      const pages = yield* Pages

      /** The parent that a request names, checked in the transaction of the change. */
      const checkParent = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        id: number | null,
        parentId: number | null | undefined
      ) {
        if (parentId === null || parentId === undefined) return
        yield* refuse(parentViolations(id, yield* store.parentage(session, id, parentId)))
      })

      return Subjects.of({
        list: (session, asked) =>
          pages.page({
            session,
            collection,
            asked,
            access: Permissions.require(session, "directory.read"),
            rows: (request) => store.listSubjects(session, request)
          }),

        get: Effect.fn("Subjects.get")(function* (session, id) {
          yield* Permissions.require(session, "directory.read")
          return (yield* store.findSubject(session, id)) ?? (yield* new NotFound())
        }, orUnavailable),

        create: Effect.fn("Subjects.create")(function* (session, request, key) {
          yield* Permissions.require(session, "directory.manage")
          const command = { operation: "subject.create", pathIds: [], content: { active: true, ...request } }
          return yield* receipts.once({ caller: session, command, key, answer: Subject }, () =>
            Effect.gen(function* () {
              yield* checkParent(session, null, request.parentId)
              return { answer: yield* store.createSubject(session, request), replayed: false }
            })
          )
        }, orUnavailable),

        update: Effect.fn("Subjects.update")(function* (session, id, expectedVersion, change, key) {
          yield* Permissions.require(session, "directory.manage")
          const command = {
            operation: "subject.update",
            pathIds: [id],
            content: { ...change, expectedVersion }
          }
          if (key !== null && (yield* store.findSubject(session, id)) === undefined)
            return yield* new NotFound()
          return yield* receipts.once({ caller: session, command, key, answer: Subject }, () =>
            Effect.gen(function* () {
              const updated = yield* store.updateSubject(session, id, (found) =>
                Effect.gen(function* () {
                  yield* checkParent(session, id, change.parentId)
                  yield* requireVersion(found.version, expectedVersion)
                  return patched(found, change)
                })
              )
              return { answer: updated ?? (yield* new NotFound()), replayed: false }
            })
          )
        }, orUnavailable)
      })
    })
  )
}

/** Anything deeper than one level is refused: a parent with a parent, a child for a subject that has children, itself. */
export const parentViolations = (
  id: number | null,
  { hasChildren, parent }: Parentage
): ReadonlyArray<Violation> => {
  if (parent === undefined) return [unknownRecord("parentId")]
  if (parent.id === id) return [{ path: "parentId", message: "must be another subject" }]
  if (parent.hasParent) return [{ path: "parentId", message: "must name a subject without a parent" }]
  return hasChildren ? [{ path: "parentId", message: "must be null: the subject has children" }] : []
}
