// The use cases of criteria and checklists (contract §9.4).
import {
  Checklist,
  type ChecklistPatch,
  type ChecklistRequest,
  checklists,
  criteria,
  Criterion,
  type CriterionPatch,
  type CriterionRequest
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { recordUseCases, removeUseCase } from "../lists/RecordUseCases.ts"
import { requireNoViolations, unknownAt } from "../receipts/Writes.ts"
import { QualityStore } from "./QualityStore.ts"

const WEIGHT = 1

const penaltyOf = (critical: boolean): number => (critical ? 100 : 0)

/** A default penalty follows a change of `critical`. */
const withPenalty = (present: Criterion, { critical, penalty }: Partial<Criterion>): Partial<Criterion> =>
  critical !== undefined && penalty === undefined && present.penalty === penaltyOf(present.critical)
    ? { penalty: penaltyOf(critical) }
    : {}

export class Quality extends Context.Service<Quality>()("core/quality/Quality", {
  make: Effect.gen(function* () {
    const store = yield* QualityStore
    const rights = { toRead: "quality.read", toWrite: "quality.manage" } as const
    const ofCriteria = yield* recordUseCases({
      name: "Criteria",
      entity: "criterion",
      collection: criteria,
      ...rights,
      answer: Criterion,
      store: store.criteria,
      made: ({ critical = false, ...request }: CriterionRequest) => ({
        description: null,
        weight: WEIGHT,
        penalty: penaltyOf(critical),
        ...request,
        critical
      }),
      normal: (change: ChangeOf<CriterionPatch>) => change,
      following: withPenalty
    })
    const ofChecklists = yield* recordUseCases({
      name: "Checklists",
      entity: "checklist",
      collection: checklists,
      ...rights,
      answer: Checklist,
      store: store.checklists,
      made: (request: ChecklistRequest) => ({ criterionIds: [], active: true, ...request }),
      normal: (change: ChangeOf<ChecklistPatch>) => change,
      check: Effect.fnUntraced(function* (session, _, { criterionIds = [] }) {
        if (criterionIds.length === 0) return
        const unknown = yield* store.unknownCriteria(session, criterionIds)
        yield* requireNoViolations(unknownAt("criterionIds", criterionIds, unknown))
      })
    })
    return {
      criteria: {
        ...ofCriteria,
        remove: removeUseCase({
          name: "Criteria",
          permission: "quality.manage",
          remove: store.criteria.remove,
          used: "a checklist or an assessment names the criterion"
        })
      },
      /** InvalidRequest names criteria that are not of the instance. */
      checklists: {
        ...ofChecklists,
        remove: removeUseCase({
          name: "Checklists",
          permission: "quality.manage",
          remove: store.checklists.remove,
          used: "the checklist has assessments"
        })
      }
    }
  })
}) {
  static readonly layer = Layer.effect(Quality, Quality.make)
}
