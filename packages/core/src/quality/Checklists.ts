// The use cases of checklists (contract §9.4).
import {
  Checklist,
  type ChecklistPatch,
  type ChecklistRequest,
  checklists as collection
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { requireNoViolations, unknownAt } from "../receipts/Writes.ts"
import { QualityStore } from "./QualityStore.ts"
import { recordUseCases, removeUseCase } from "../lists/RecordUseCases.ts"

/** InvalidRequest names criteria that are not of the instance. */
export class Checklists extends Context.Service<Checklists>()("core/quality/Checklists", {
  make: Effect.gen(function* () {
    const store = yield* QualityStore
    return {
      ...(yield* recordUseCases({
        name: "Checklists",
        entity: "checklist",
        collection,
        toRead: "quality.read",
        toWrite: "quality.manage",
        answer: Checklist,
        store: store.checklists,
        made: (request: ChecklistRequest) => ({ criterionIds: [], active: true, ...request }),
        normal: (change: ChangeOf<ChecklistPatch>) => change,
        check: Effect.fnUntraced(function* (session, _, { criterionIds = [] }) {
          if (criterionIds.length === 0) return
          const unknown = yield* store.unknownCriteria(session, criterionIds)
          yield* requireNoViolations(unknownAt("criterionIds", criterionIds, unknown))
        })
      })),
      remove: removeUseCase({
        name: "Checklists",
        permission: "quality.manage",
        remove: store.checklists.remove,
        used: "the checklist has assessments"
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Checklists, Checklists.make)
}
