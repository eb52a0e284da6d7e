// Quality on the wire: criteria, checklists, and assessments of closed appeals with their steps (contract §9.4).
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { AccessDenied, NotFound, StateNotAllowed, VersionConflict } from "../Errors.ts"
import { ListedCollection } from "../lists/Collection.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import {
  Assessment,
  AssessmentRequest,
  assessments,
  CommentMay,
  CommentMust,
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
import { acting, changing, creating, deleting, listing, reading } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/quality"
const one = { id: pathId(1) }
const written = [AccessDenied, ...idempotencyErrors] as const
const stepErrors = [...written, NotFound, StateNotAllowed] as const

export class QualityApi extends HttpApiGroup.make("quality")
  .add(
    HttpApiEndpoint.get("listCriteria", `${root}/criteria`, listing(criteria, Criterion, "CriterionList"))
      .annotate(ListedCollection, criteria)
      .pipe(operation("List criteria", "Needs quality.read.")),
    HttpApiEndpoint.get("getCriterion", `${root}/criteria/:id`, reading(one, Criterion)).pipe(
      operation("Read a criterion", "Carries its version as ETag. Needs quality.read.")
    ),
    HttpApiEndpoint.post(
      "createCriterion",
      `${root}/criteria`,
      creating(CriterionRequest, Criterion, written)
    ).pipe(
      operation(
        "Make a criterion",
        "Its weight is 1 unless given, its penalty 100 when it is critical, else 0. Needs quality.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateCriterion",
      `${root}/criteria/:id`,
      changing(one, CriterionPatch, Criterion, [...written, NotFound, VersionConflict])
    ).pipe(
      operation(
        "Change a criterion",
        "Assessments keep the copy that they were made with. Needs quality.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete("deleteCriterion", `${root}/criteria/:id`, deleting(one, StateNotAllowed)).pipe(
      operation(
        "Delete a criterion",
        "One that a checklist or an assessment names is not deleted. Needs quality.manage."
      )
    ),
    HttpApiEndpoint.get(
      "listChecklists",
      `${root}/checklists`,
      listing(checklists, Checklist, "ChecklistList")
    )
      .annotate(ListedCollection, checklists)
      .pipe(operation("List checklists", "Needs quality.read.")),
    HttpApiEndpoint.get("getChecklist", `${root}/checklists/:id`, reading(one, Checklist)).pipe(
      operation("Read a checklist", "Carries its version as ETag. Needs quality.read.")
    ),
    HttpApiEndpoint.post(
      "createChecklist",
      `${root}/checklists`,
      creating(ChecklistRequest, Checklist, written)
    ).pipe(
      operation(
        "Make a checklist",
        "Of criteria of the instance, each once, in their order. Needs quality.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateChecklist",
      `${root}/checklists/:id`,
      changing(one, ChecklistPatch, Checklist, [...written, NotFound, VersionConflict])
    ).pipe(
      operation(
        "Change a checklist",
        "Assessments keep the criteria that they were made with. Needs quality.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete("deleteChecklist", `${root}/checklists/:id`, deleting(one, StateNotAllowed)).pipe(
      operation("Delete a checklist", "One that has assessments is not deleted. Needs quality.manage.")
    ),
    HttpApiEndpoint.get(
      "listAssessments",
      `${root}/assessments`,
      listing(assessments, Assessment, "AssessmentList")
    )
      .annotate(ListedCollection, assessments)
      .pipe(
        operation(
          "List assessments",
          "Operators see their own approved, disputed and resolved ones, supervisors those of appeals that they may see, others all. Needs quality.read."
        )
      ),
    HttpApiEndpoint.get("getAssessment", `${root}/assessments/:id`, reading(one, Assessment)).pipe(
      operation("Read an assessment", "Carries its version as ETag. Needs quality.read.")
    ),
    HttpApiEndpoint.post(
      "createAssessment",
      `${root}/assessments`,
      creating(AssessmentRequest, Assessment, [...written, StateNotAllowed])
    ).pipe(
      operation(
        "Assess a closed appeal",
        "Copies the criteria of an active checklist; a machine's results may come with it. Needs quality.assess."
      )
    ),
    HttpApiEndpoint.patch(
      "setResult",
      `${root}/assessments/:id/criteria/:criterionId`,
      changing({ id: pathId(1), criterionId: pathId(1) }, ResultPatch, Assessment, [
        ...written,
        NotFound,
        StateNotAllowed,
        VersionConflict
      ])
    ).pipe(
      operation(
        "Judge a criterion",
        "In draft and disputed. A result that differs from the automatic one needs a comment. Needs quality.assess, and the assessment's expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.post(
      "approveAssessment",
      `${root}/assessments/:id/approve`,
      acting(one, [CommentMay, HttpApiSchema.NoContent], Assessment, stepErrors)
    ).pipe(operation("Approve a draft", "Every criterion has a result. Needs quality.assess.")),
    HttpApiEndpoint.post(
      "disputeAssessment",
      `${root}/assessments/:id/dispute`,
      acting(one, CommentMust, Assessment, stepErrors)
    ).pipe(
      operation(
        "Dispute an approved assessment",
        "For the operator who was assessed, and with quality.manage."
      )
    ),
    HttpApiEndpoint.post(
      "resolveAssessment",
      `${root}/assessments/:id/resolve`,
      acting(one, CommentMust, Assessment, stepErrors)
    ).pipe(operation("Resolve a dispute", "Ends it with a comment. Needs quality.manage.")),
    HttpApiEndpoint.post(
      "reopenAssessment",
      `${root}/assessments/:id/reopen`,
      acting(one, [CommentMay, HttpApiSchema.NoContent], Assessment, stepErrors)
    ).pipe(
      operation(
        "Make it a draft again",
        "From approved and resolved; it is then approved again. Needs quality.manage."
      )
    ),
    HttpApiEndpoint.post(
      "voidAssessment",
      `${root}/assessments/:id/void`,
      acting(one, CommentMust, Assessment, stepErrors)
    ).pipe(operation("Void an assessment", "From every other status, for good. Needs quality.manage."))
  )
  .pipe(withSession("Quality", "Criteria, checklists and assessments of closed appeals.")) {}
