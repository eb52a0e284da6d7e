// The use cases of criteria (contract §9.4).
import {
  criteria as collection,
  Criterion,
  type CriterionPatch,
  type CriterionRequest
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { QualityStore } from "./QualityStore.ts"
import { recordUseCases, removeUseCase } from "../lists/RecordUseCases.ts"

const WEIGHT = 1

const penaltyOf = (critical: boolean): number => (critical ? 100 : 0)

/** A default penalty follows a change of `critical`. */
const withPenalty = (present: Criterion, { critical, penalty }: Partial<Criterion>): Partial<Criterion> =>
  critical !== undefined && penalty === undefined && present.penalty === penaltyOf(present.critical)
    ? { penalty: penaltyOf(critical) }
    : {}

export class Criteria extends Context.Service<Criteria>()("core/quality/Criteria", {
  make: Effect.gen(function* () {
    const store = yield* QualityStore
    return {
      ...(yield* recordUseCases({
        name: "Criteria",
        entity: "criterion",
        collection,
        toRead: "quality.read",
        toWrite: "quality.manage",
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
      })),
      remove: removeUseCase({
        name: "Criteria",
        permission: "quality.manage",
        remove: store.criteria.remove,
        used: "a checklist or an assessment names the criterion"
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Criteria, Criteria.make)
}
