// Criteria of quality: make, read, list, change and delete them (docs/contract.md §9.4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  NotFound,
  type SearchUnavailable,
  StateNotAllowed
} from "@rapport/contract/Errors.ts"
import {
  criteria as collection,
  Criterion,
  type CriterionPatch,
  type CriterionRequest
} from "@rapport/contract/quality/Criterion.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { QualityStore } from "./QualityStore.ts"
import { patching, reading } from "../lists/RecordUseCases.ts"
import { fresh } from "../receipts/Writes.ts"

/** StateNotAllowed where something names the record. */
export interface Removing {
  readonly remove: (
    session: AuthorizedSession,
    id: number
  ) => Effect.Effect<void, AccessDenied | NotFound | StateNotAllowed | SearchUnavailable>
}

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
      const receipts = yield* Receipts
      const pages = yield* Pages
      return Criteria.of({
        ...reading(pages, {
          name: "Criteria",
          collection,
          access: (session) => Permissions.require(session, "quality.read"),
          list: store.listCriteria,
          find: store.findCriterion
        }),

        create: Effect.fn("Criteria.create")(function* (session, request, key) {
          yield* Permissions.require(session, "quality.manage")
          const critical = request.critical ?? false
          const penalty = critical ? CRITICAL_PENALTY : 0
          const content = { description: null, weight: WEIGHT, critical, penalty, ...request }
          const command = { operation: "criterion.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: Criterion }, () =>
            Effect.map(store.createCriterion(session, content), fresh)
          )
        }, orUnavailable),

        update: patching(receipts, {
          name: "Criteria",
          operation: "criterion.update",
          access: (session) => Permissions.require(session, "quality.manage"),
          answer: Criterion,
          find: store.findCriterion,
          update: store.updateCriterion,
          normal: (change: ChangeOf<CriterionPatch>) => change
        }),

        remove: Effect.fn("Criteria.remove")(function* (session, id) {
          yield* Permissions.require(session, "quality.manage")
          const removed = yield* store.removeCriterion(session, id)
          if (removed === undefined) return yield* new NotFound()
          if (removed === "used")
            return yield* new StateNotAllowed({ detail: "a checklist or an assessment names the criterion" })
        }, orUnavailable)
      })
    })
  )
}
