// Criteria of quality: make, read, list, change and delete them (docs/contract.md §9.4).
import {
  criteria as collection,
  Criterion,
  type CriterionPatch,
  type CriterionRequest
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf, Creating, Reading, Removing, Updating } from "../lists/Records.ts"
import { QualityStore } from "./QualityStore.ts"
import { records, removing } from "../lists/RecordUseCases.ts"

const CRITICAL_PENALTY = 100
const WEIGHT = 1

export class Criteria extends Context.Service<
  Criteria,
  Reading<Criterion> &
    Creating<CriterionRequest, Criterion, never> &
    Updating<CriterionPatch, Criterion, never> &
    Removing
>()("core/quality/Criteria") {
  static readonly layer = Layer.effect(
    Criteria,
    Effect.gen(function* () {
      const store = yield* QualityStore
      return Criteria.of({
        ...(yield* records({
          name: "Criteria",
          entity: "criterion",
          collection,
          toRead: "quality.read",
          toWrite: "quality.manage",
          answer: Criterion,
          list: store.listCriteria,
          find: store.findCriterion,
          create: store.createCriterion,
          update: store.updateCriterion,
          made: ({ critical = false, ...request }: CriterionRequest) => ({
            description: null,
            weight: WEIGHT,
            penalty: critical ? CRITICAL_PENALTY : 0,
            ...request,
            critical
          }),
          normal: (change: ChangeOf<CriterionPatch>) => change
        })),
        remove: removing({
          name: "Criteria",
          permission: "quality.manage",
          remove: store.removeCriterion,
          used: "a checklist or an assessment names the criterion"
        })
      })
    })
  )
}
