// Skill groups: which operators answer which subjects; make, read, list and change them (docs/contract.md §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  SkillGroup,
  type SkillGroupPatch,
  type SkillGroupRequest,
  skillGroups as collection
} from "@rapport/contract/directory/DirectoryApi.ts"
import { type InvalidRequest } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { fresh, distinctIds, refuse, unknownAt } from "../receipts/Writes.ts"
import { DirectoryStore } from "./DirectoryStore.ts"
import { patching, reading } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<SkillGroupPatch>

/** InvalidRequest names subjects and members that are none of the instance. */
export class SkillGroups extends Context.Service<
  SkillGroups,
  Reading<SkillGroup> &
    Creating<SkillGroupRequest, SkillGroup, InvalidRequest> &
    Updating<SkillGroupPatch, SkillGroup, InvalidRequest>
>()("core/directory/SkillGroups") {
  static readonly layer = Layer.effect(
    SkillGroups,
    Effect.gen(function* () {
      const store = yield* DirectoryStore
      const receipts = yield* Receipts
      const pages = yield* Pages

      const checkIds = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        { memberIds = [], subjectIds = [] }: Change
      ) {
        if (memberIds.length + subjectIds.length === 0) return
        const unknown = yield* store.unknownOf(session, { memberIds, subjectIds })
        yield* refuse([
          ...unknownAt("subjectIds", subjectIds, unknown.subjectIds),
          ...unknownAt("memberIds", memberIds, unknown.memberIds)
        ])
      })

      return SkillGroups.of({
        ...reading(pages, {
          name: "SkillGroups",
          collection,
          access: (session) => Permissions.require(session, "directory.read"),
          list: store.listSkillGroups,
          find: store.findSkillGroup
        }),

        create: Effect.fn("SkillGroups.create")(function* (session, request, key) {
          yield* Permissions.require(session, "directory.manage")
          const normal = { active: true, subjectIds: [], memberIds: [], ...withSortedIds(request) }
          const command = { operation: "skill_group.create", pathIds: [], content: normal }
          return yield* receipts.once({ caller: session, command, key, answer: SkillGroup }, () =>
            Effect.gen(function* () {
              yield* checkIds(session, request)
              return fresh(yield* store.createSkillGroup(session, normal))
            })
          )
        }, orUnavailable),

        update: patching(receipts, {
          name: "SkillGroups",
          operation: "skill_group.update",
          access: (session) => Permissions.require(session, "directory.manage"),
          answer: SkillGroup,
          find: store.findSkillGroup,
          update: store.updateSkillGroup,
          normal: withSortedIds<Change>,
          check: (session, _, change) => checkIds(session, change)
        })
      })
    })
  )
}

/** Sets of ids: each once, ascending, so that equal sets are equal commands. */
const withSortedIds = <R extends Change>(request: R) => ({
  ...request,
  ...(request.subjectIds === undefined ? {} : { subjectIds: distinctIds(request.subjectIds) }),
  ...(request.memberIds === undefined ? {} : { memberIds: distinctIds(request.memberIds) })
})
