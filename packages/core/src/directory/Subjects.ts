// Subjects: make, read, list and change them; one level of parents and not more (docs/contract.md §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  Subject,
  type SubjectPatch,
  type SubjectRequest,
  subjects as collection
} from "@rapport/contract/directory/DirectoryApi.ts"
import { type InvalidRequest, type UniqueConflict, type Violation } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { fresh, refuse, unknownRecord } from "../receipts/Writes.ts"
import { DirectoryStore, type Parentage } from "./DirectoryStore.ts"
import { patching, reading } from "../lists/RecordUseCases.ts"

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
        ...reading(pages, {
          name: "Subjects",
          collection,
          access: (session) => Permissions.require(session, "directory.read"),
          list: store.listSubjects,
          find: store.findSubject
        }),

        create: Effect.fn("Subjects.create")(function* (session, request, key) {
          yield* Permissions.require(session, "directory.manage")
          const command = { operation: "subject.create", pathIds: [], content: { active: true, ...request } }
          return yield* receipts.once({ caller: session, command, key, answer: Subject }, () =>
            Effect.gen(function* () {
              yield* checkParent(session, null, request.parentId)
              return fresh(yield* store.createSubject(session, request))
            })
          )
        }, orUnavailable),

        update: patching(receipts, {
          name: "Subjects",
          operation: "subject.update",
          access: (session) => Permissions.require(session, "directory.manage"),
          answer: Subject,
          find: store.findSubject,
          update: store.updateSubject,
          normal: (change: ChangeOf<SubjectPatch>) => change,
          check: (session, id, { parentId }) => checkParent(session, id, parentId)
        })
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
