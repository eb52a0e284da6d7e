// The use cases of skill groups (contract §9).
import {
  SkillGroup,
  type SkillGroupPatch,
  type SkillGroupRequest,
  skillGroups as collection
} from "@rapport/contract/directory/DirectoryApi.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { distinctIds, requireNoViolations, unknownAt } from "../receipts/Writes.ts"
import { DirectoryStore } from "./DirectoryStore.ts"
import { recordUseCases } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<SkillGroupPatch>

/** InvalidRequest names subjects and members that are not of the instance. */
export class SkillGroups extends Context.Service<SkillGroups>()("core/directory/SkillGroups", {
  make: Effect.gen(function* () {
    const store = yield* DirectoryStore
    return yield* recordUseCases({
      name: "SkillGroups",
      entity: "skill_group",
      collection,
      toRead: "directory.read",
      toWrite: "directory.manage",
      answer: SkillGroup,
      store: store.skillGroups,
      made: (request: SkillGroupRequest) => ({
        active: true,
        subjectIds: [],
        memberIds: [],
        ...withSortedIds(request)
      }),
      normal: withSortedIds<Change>,
      check: Effect.fnUntraced(function* (session, _, { memberIds = [], subjectIds = [] }) {
        if (memberIds.length + subjectIds.length === 0) return
        const unknown = yield* store.unknownOf(session, { memberIds, subjectIds })
        yield* requireNoViolations([
          ...unknownAt("subjectIds", subjectIds, unknown.subjectIds),
          ...unknownAt("memberIds", memberIds, unknown.memberIds)
        ])
      })
    })
  })
}) {
  static readonly layer = Layer.effect(SkillGroups, SkillGroups.make)
}

/** Sorted distinct ids, so that equal sets are equal commands. */
const withSortedIds = <R extends Change>(request: R) => ({
  ...request,
  ...(request.subjectIds === undefined ? {} : { subjectIds: distinctIds(request.subjectIds) }),
  ...(request.memberIds === undefined ? {} : { memberIds: distinctIds(request.memberIds) })
})
