// The use cases of subjects, which have at most one level of parents, and of skill groups (contract §9).
import {
  SkillGroup,
  type SkillGroupPatch,
  type SkillGroupRequest,
  skillGroups,
  Subject,
  type SubjectPatch,
  type SubjectRequest,
  subjects
} from "@rapport/contract/directory/DirectoryApi.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { recordUseCases } from "../lists/RecordUseCases.ts"
import { distinctIds, requireNoViolations, unknownAt, unknownRecord } from "../receipts/Writes.ts"
import { DirectoryStore, type Parentage } from "./DirectoryStore.ts"

export class Directory extends Context.Service<Directory>()("core/directory/Directory", {
  make: Effect.gen(function* () {
    const store = yield* DirectoryStore
    const rights = { toRead: "directory.read", toWrite: "directory.manage" } as const
    return {
      subjects: yield* recordUseCases({
        name: "Subjects",
        entity: "subject",
        collection: subjects,
        ...rights,
        answer: Subject,
        store: store.subjects,
        made: (request: SubjectRequest) => ({ parentId: null, active: true, reopenHours: 0, ...request }),
        normal: (change: ChangeOf<SubjectPatch>) => change,
        check: Effect.fnUntraced(function* (session, id, { parentId }) {
          if (parentId === null || parentId === undefined) return
          yield* requireNoViolations(parentViolations(id, yield* store.parentage(session, id, parentId)))
        })
      }),
      /** InvalidRequest names subjects and members that are not of the instance. */
      skillGroups: yield* recordUseCases({
        name: "SkillGroups",
        entity: "skill_group",
        collection: skillGroups,
        ...rights,
        answer: SkillGroup,
        store: store.skillGroups,
        made: (request: SkillGroupRequest) => ({
          active: true,
          subjectIds: [],
          memberIds: [],
          ...withSortedIds(request)
        }),
        normal: withSortedIds<ChangeOf<SkillGroupPatch>>,
        check: Effect.fnUntraced(function* (session, _, { memberIds = [], subjectIds = [] }) {
          if (memberIds.length + subjectIds.length === 0) return
          const unknown = yield* store.unknownOf(session, { memberIds, subjectIds })
          yield* requireNoViolations([
            ...unknownAt("subjectIds", subjectIds, unknown.subjectIds),
            ...unknownAt("memberIds", memberIds, unknown.memberIds)
          ])
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Directory, Directory.make)
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

/** Sorted distinct ids, so that equal sets are equal commands. */
const withSortedIds = <R extends ChangeOf<SkillGroupPatch>>(request: R) => ({
  ...request,
  ...(request.subjectIds === undefined ? {} : { subjectIds: distinctIds(request.subjectIds) }),
  ...(request.memberIds === undefined ? {} : { memberIds: distinctIds(request.memberIds) })
})
