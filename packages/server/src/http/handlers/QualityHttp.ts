// Quality over HTTP: each handler is one call of a use case (contract §9.4).
import { Api } from "@rapport/contract/Api.ts"
import { Assessments } from "@rapport/core/quality/Assessments.ts"
import { Quality } from "@rapport/core/quality/Quality.ts"
import type { AssessmentStep } from "@rapport/core/quality/Scoring.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  byId,
  answerChange,
  answerVersionedChange,
  createHandler,
  getHandler,
  listHandler,
  updateHandler
} from "./Records.ts"
import { type Keyed, keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/quality"

interface StepRequest {
  readonly params: { readonly id: number }
  readonly headers: Keyed
  readonly payload: { readonly comment?: string } | void
}

export const qualityLayer = HttpApiBuilder.group(
  Api,
  "quality",
  Effect.fnUntraced(function* (handlers) {
    const { checklists, criteria } = yield* Quality
    const assessments = yield* Assessments
    const stepHandler =
      (step: AssessmentStep) =>
      ({ headers, params, payload }: StepRequest) =>
        answerChange((session) =>
          assessments.take(session, params.id, step, payload?.comment ?? null, keyIn(headers))
        )
    return handlers.handleAll({
      listCriteria: listHandler(criteria.list),
      getCriterion: getHandler(criteria.get),
      createCriterion: createHandler(`${root}/criteria`, criteria.create),
      updateCriterion: updateHandler(criteria.update),
      deleteCriterion: byId(criteria.remove),
      listChecklists: listHandler(checklists.list),
      getChecklist: getHandler(checklists.get),
      createChecklist: createHandler(`${root}/checklists`, checklists.create),
      updateChecklist: updateHandler(checklists.update),
      deleteChecklist: byId(checklists.remove),
      listAssessments: listHandler(assessments.list),
      getAssessment: getHandler(assessments.get),
      createAssessment: createHandler(`${root}/assessments`, assessments.create),
      setAssessmentResult: ({ headers, params, payload: { expectedVersion, ...change } }) =>
        answerVersionedChange(expectedVersion, headers, (session, version) =>
          assessments.setResult(session, params, version, change, keyIn(headers))
        ),
      approveAssessment: stepHandler("approve"),
      disputeAssessment: stepHandler("dispute"),
      resolveAssessment: stepHandler("resolve"),
      reopenAssessment: stepHandler("reopen"),
      voidAssessment: stepHandler("void")
    })
  })
)
