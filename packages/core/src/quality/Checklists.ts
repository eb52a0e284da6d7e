// Checklists: which criteria an assessment is made of; make, read, list, change and delete them (docs/contract.md §9.4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type InvalidRequest, NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import {
  Checklist,
  type ChecklistPatch,
  type ChecklistRequest,
  checklists as collection
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { fresh, refuse, unknownAt } from "../receipts/Writes.ts"
import type { Removing } from "./Criteria.ts"
import { QualityStore } from "./QualityStore.ts"
import { patching, reading } from "../lists/RecordUseCases.ts"

/** InvalidRequest names criteria that are none of the instance. */
export class Checklists extends Context.Service<
  Checklists,
  Reading<Checklist> &
    Creating<ChecklistRequest, Checklist, InvalidRequest> &
    Updating<ChecklistPatch, Checklist, InvalidRequest> &
    Removing
>()("core/quality/Checklists") {
  static readonly layer = Layer.effect(
    Checklists,
    Effect.gen(function* () {
      const store = yield* QualityStore
      const receipts = yield* Receipts
      const pages = yield* Pages

      const checkIds = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        { criterionIds = [] }: ChangeOf<ChecklistPatch>
      ) {
        if (criterionIds.length === 0) return
        const unknown = yield* store.unknownCriteria(session, criterionIds)
        yield* refuse(unknownAt("criterionIds", criterionIds, unknown))
      })

      return Checklists.of({
        ...reading(pages, {
          name: "Checklists",
          collection,
          access: (session) => Permissions.require(session, "quality.read"),
          list: store.listChecklists,
          find: store.findChecklist
        }),

        create: Effect.fn("Checklists.create")(function* (session, request, key) {
          yield* Permissions.require(session, "quality.manage")
          const content = { criterionIds: [], active: true, ...once(request) }
          const command = { operation: "checklist.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: Checklist }, () =>
            Effect.gen(function* () {
              yield* checkIds(session, request)
              return fresh(yield* store.createChecklist(session, content))
            })
          )
        }, orUnavailable),

        update: patching(receipts, {
          name: "Checklists",
          operation: "checklist.update",
          access: (session) => Permissions.require(session, "quality.manage"),
          answer: Checklist,
          find: store.findChecklist,
          update: store.updateChecklist,
          normal: once<ChangeOf<ChecklistPatch>>,
          check: (session, _, change) => checkIds(session, change)
        }),

        remove: Effect.fn("Checklists.remove")(function* (session, id) {
          yield* Permissions.require(session, "quality.manage")
          const removed = yield* store.removeChecklist(session, id)
          if (removed === undefined) return yield* new NotFound()
          if (removed === "used")
            return yield* new StateNotAllowed({ detail: "the checklist has assessments" })
        }, orUnavailable)
      })
    })
  )
}

/** Each criterion once, in the order given. */
const once = <C extends ChangeOf<ChecklistPatch>>(change: C) => ({
  ...change,
  ...(change.criterionIds === undefined ? {} : { criterionIds: [...new Set(change.criterionIds)] })
})
