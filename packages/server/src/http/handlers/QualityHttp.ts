// Quality over HTTP: each handler is one call of a use case (contract §9.4).
import { Api } from "@rapport/contract/Api.ts"
import { Assessments } from "@rapport/core/quality/Assessments.ts"
import { Checklists } from "@rapport/core/quality/Checklists.ts"
import { Criteria } from "@rapport/core/quality/Criteria.ts"
import type { AssessmentStep } from "@rapport/core/quality/Scoring.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { byId, changing, changingFrom, creating, getting, listing, updating } from "./Records.ts"
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
    const criteria = yield* Criteria
    const checklists = yield* Checklists
    const assessments = yield* Assessments
    const taking =
      (step: AssessmentStep) =>
      ({ headers, params, payload }: StepRequest) =>
        changing((session) =>
          assessments.take(session, params.id, step, payload?.comment ?? null, keyIn(headers))
        )
    return handlers.handleAll({
      listCriteria: listing(criteria.list),
      getCriterion: getting(criteria.get),
      createCriterion: creating(`${root}/criteria`, criteria.create),
      updateCriterion: updating(criteria.update),
      deleteCriterion: byId(criteria.remove),
      listChecklists: listing(checklists.list),
      getChecklist: getting(checklists.get),
      createChecklist: creating(`${root}/checklists`, checklists.create),
      updateChecklist: updating(checklists.update),
      deleteChecklist: byId(checklists.remove),
      listAssessments: listing(assessments.list),
      getAssessment: getting(assessments.get),
      createAssessment: creating(`${root}/assessments`, assessments.create),
      setAssessmentResult: ({ headers, params, payload: { expectedVersion, ...change } }) =>
        changingFrom(expectedVersion, headers, (session, version) =>
          assessments.setResult(session, params, version, change, keyIn(headers))
        ),
      approveAssessment: taking("approve"),
      disputeAssessment: taking("dispute"),
      resolveAssessment: taking("resolve"),
      reopenAssessment: taking("reopen"),
      voidAssessment: taking("void")
    })
  })
)
