// Routes of criteria, checklists and assessments (contract §9.4).
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { StateNotAllowed } from "../Errors.ts"
import { pathId } from "../values/Ids.ts"
import {
  Assessment,
  AssessmentRequest,
  assessments,
  OptionalComment,
  RequiredComment,
  ResultPatch
} from "./Assessment.ts"
import {
  Checklist,
  ChecklistPatch,
  ChecklistRequest,
  checklists,
  criteria,
  Criterion,
  CriterionPatch,
  CriterionRequest
} from "./Criterion.ts"
import {
  actionRoute,
  updateRoute,
  createRoute,
  deleteRoute,
  listRoute,
  getRoute
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/quality"
const one = { id: pathId(1) }

export class QualityApi extends HttpApiGroup.make("quality")
  .add(
    HttpApiEndpoint.get(
      "listCriteria",
      `${root}/criteria`,
      listRoute(criteria, Criterion, "CriterionList")
    ).pipe(operation("List criteria", "Requires quality.read.")),
    HttpApiEndpoint.get("getCriterion", `${root}/criteria/:id`, getRoute(one, Criterion)).pipe(
      operation("Get a criterion", "The ETag is the version. Requires quality.read.")
    ),
    HttpApiEndpoint.post(
      "createCriterion",
      `${root}/criteria`,
      createRoute(CriterionRequest, Criterion)
    ).pipe(
      operation(
        "Create a criterion",
        "Default weight 1; default penalty 100 if critical, else 0. Requires quality.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateCriterion",
      `${root}/criteria/:id`,
      updateRoute(one, CriterionPatch, Criterion)
    ).pipe(
      operation(
        "Update a criterion",
        "Existing assessments keep their copy. Requires quality.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete("deleteCriterion", `${root}/criteria/:id`, deleteRoute(one, StateNotAllowed)).pipe(
      operation("Delete a criterion", "A criterion in use cannot be deleted (409). Requires quality.manage.")
    ),
    HttpApiEndpoint.get(
      "listChecklists",
      `${root}/checklists`,
      listRoute(checklists, Checklist, "ChecklistList")
    ).pipe(operation("List checklists", "Requires quality.read.")),
    HttpApiEndpoint.get("getChecklist", `${root}/checklists/:id`, getRoute(one, Checklist)).pipe(
      operation("Get a checklist", "The ETag is the version. Requires quality.read.")
    ),
    HttpApiEndpoint.post(
      "createChecklist",
      `${root}/checklists`,
      createRoute(ChecklistRequest, Checklist)
    ).pipe(
      operation(
        "Create a checklist",
        "With criteria of the instance in the given order, each once. Requires quality.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateChecklist",
      `${root}/checklists/:id`,
      updateRoute(one, ChecklistPatch, Checklist)
    ).pipe(
      operation(
        "Update a checklist",
        "Existing assessments keep their criteria. Requires quality.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete(
      "deleteChecklist",
      `${root}/checklists/:id`,
      deleteRoute(one, StateNotAllowed)
    ).pipe(
      operation(
        "Delete a checklist",
        "A checklist with assessments cannot be deleted (409). Requires quality.manage."
      )
    ),
    HttpApiEndpoint.get(
      "listAssessments",
      `${root}/assessments`,
      listRoute(assessments, Assessment, "AssessmentList")
    ).pipe(
      operation(
        "List assessments",
        "Operators see their own that are approved, disputed or resolved, supervisors those of visible appeals, others all. Requires quality.read."
      )
    ),
    HttpApiEndpoint.get("getAssessment", `${root}/assessments/:id`, getRoute(one, Assessment)).pipe(
      operation("Get an assessment", "The ETag is the version. Requires quality.read.")
    ),
    HttpApiEndpoint.post(
      "createAssessment",
      `${root}/assessments`,
      createRoute(AssessmentRequest, Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Create an assessment",
        "Assesses a closed appeal with a copy of the criteria of an active checklist, and optional automatic results. Requires quality.assess."
      )
    ),
    HttpApiEndpoint.patch(
      "setAssessmentResult",
      `${root}/assessments/:id/criteria/:criterionId`,
      updateRoute({ id: pathId(1), criterionId: pathId(1) }, ResultPatch, Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Set the result of a criterion",
        "Only of a draft or a disputed assessment. A result that differs from the automatic one needs a comment. Requires quality.assess, and expectedVersion of the assessment or If-Match."
      )
    ),
    HttpApiEndpoint.post(
      "approveAssessment",
      `${root}/assessments/:id/approve`,
      actionRoute(one, [OptionalComment, HttpApiSchema.NoContent], Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Approve an assessment",
        "Approves a draft, if every criterion has a result. Requires quality.assess."
      )
    ),
    HttpApiEndpoint.post(
      "disputeAssessment",
      `${root}/assessments/:id/dispute`,
      actionRoute(one, RequiredComment, Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Dispute an assessment",
        "Disputes an approved assessment, with a comment. For the assessed user, or with quality.manage."
      )
    ),
    HttpApiEndpoint.post(
      "resolveAssessment",
      `${root}/assessments/:id/resolve`,
      actionRoute(one, RequiredComment, Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Resolve a disputed assessment",
        "Resolves the dispute, with a comment. Requires quality.manage."
      )
    ),
    HttpApiEndpoint.post(
      "reopenAssessment",
      `${root}/assessments/:id/reopen`,
      actionRoute(one, [OptionalComment, HttpApiSchema.NoContent], Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Reopen an assessment",
        "An approved or resolved assessment becomes a draft again. Requires quality.manage."
      )
    ),
    HttpApiEndpoint.post(
      "voidAssessment",
      `${root}/assessments/:id/void`,
      actionRoute(one, RequiredComment, Assessment, StateNotAllowed)
    ).pipe(
      operation(
        "Void an assessment",
        "Possible in every other status, with a comment. Cannot be undone. Requires quality.manage."
      )
    )
  )
  .pipe(withSession("Quality", "Criteria, checklists and assessments of closed appeals.")) {}
