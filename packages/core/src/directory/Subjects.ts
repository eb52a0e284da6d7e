// The use cases of subjects, which have at most one level of parents (contract §9).
import {
  Subject,
  type SubjectPatch,
  type SubjectRequest,
  subjects as collection
} from "@rapport/contract/directory/DirectoryApi.ts"
import { type Violation } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { requireNoViolations, unknownRecord } from "../receipts/Writes.ts"
import { DirectoryStore, type Parentage } from "./DirectoryStore.ts"
import { recordUseCases } from "../lists/RecordUseCases.ts"

export class Subjects extends Context.Service<Subjects>()("core/directory/Subjects", {
  make: Effect.gen(function* () {
    const store = yield* DirectoryStore
    return yield* recordUseCases({
      name: "Subjects",
      entity: "subject",
      collection,
      toRead: "directory.read",
      toWrite: "directory.manage",
      answer: Subject,
      store: store.subjects,
      made: (request: SubjectRequest) => ({ parentId: null, active: true, reopenHours: 0, ...request }),
      normal: (change: ChangeOf<SubjectPatch>) => change,
      check: Effect.fnUntraced(function* (session, id, { parentId }) {
        if (parentId === null || parentId === undefined) return
        yield* requireNoViolations(parentViolations(id, yield* store.parentage(session, id, parentId)))
      })
    })
  })
}) {
  static readonly layer = Layer.effect(Subjects, Subjects.make)
}

/** Refuses more than one level: a parent with a parent, a parent for a subject with children, the subject itself. */
const parentViolations = (
  id: number | null,
  { hasChildren, parent }: Parentage
): ReadonlyArray<Violation> => {
  if (parent === undefined) return [unknownRecord("parentId")]
  if (parent.id === id) return [{ path: "parentId", message: "must be another subject" }]
  if (parent.hasParent) return [{ path: "parentId", message: "must name a subject without a parent" }]
  return hasChildren ? [{ path: "parentId", message: "must be null: the subject has children" }] : []
}
