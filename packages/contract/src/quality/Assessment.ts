// An assessment of one closed appeal: automatic and human results, and the score (contract §9.4).
import { Schema } from "effect"
import { collectionOf } from "../lists/Collection.ts"
import { PositiveInt, Version } from "../values/Ids.ts"
import { emptiable, expectedVersion, listOf, LongText } from "../values/Members.ts"
import { Time } from "../values/Time.ts"

export const results = ["met", "violated", "not_applicable"] as const
export type Result = (typeof results)[number]
const Result = Schema.Literals(results)
const RequestedResult = Result.annotate({ message: `must be one of ${results.join(", ")}` })

export const assessmentStatuses = ["draft", "approved", "disputed", "resolved", "void"] as const
export type AssessmentStatus = (typeof assessmentStatuses)[number]

/** A copy of a criterion, made with the assessment. The human result counts, else the automatic one. */
export const AssessedCriterion = Schema.Struct({
  criterionId: PositiveInt,
  criterionVersion: Version,
  name: Schema.String,
  weight: Schema.Int,
  critical: Schema.Boolean,
  penalty: Schema.Int,
  automatic: Schema.NullOr(Result),
  human: Schema.NullOr(Result),
  comment: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AssessedCriterion" })
export type AssessedCriterion = typeof AssessedCriterion.Type

/** `operatorId` is the operator at the time of the assessment. `score` is null if nothing is applicable. */
export const Assessment = Schema.Struct({
  id: PositiveInt,
  appealId: PositiveInt,
  operatorId: Schema.NullOr(PositiveInt),
  assessorId: PositiveInt,
  checklistId: PositiveInt,
  checklistVersion: Version,
  status: Schema.Literals(assessmentStatuses),
  score: Schema.NullOr(Schema.Finite),
  criteria: Schema.Array(AssessedCriterion),
  createdAt: Time,
  approvedAt: Schema.NullOr(Time),
  version: Version
}).annotate({ identifier: "Assessment" })
export type Assessment = typeof Assessment.Type

export const AssessmentRequest = Schema.Struct({
  appealId: PositiveInt,
  checklistId: PositiveInt,
  automatic: Schema.optionalKey(
    listOf(
      Schema.Struct({ criterionId: PositiveInt, result: RequestedResult }).annotate({
        identifier: "AutomaticResult"
      })
    )
  )
}).annotate({
  identifier: "AssessmentRequest",
  examples: [{ appealId: 9006, checklistId: 1, automatic: [{ criterionId: 1, result: "met" }] }]
})
export type AssessmentRequest = typeof AssessmentRequest.Type

/** `expectedVersion` is that of the assessment. */
export const ResultPatch = Schema.Struct({
  expectedVersion,
  result: RequestedResult,
  comment: emptiable(LongText)
}).annotate({
  identifier: "ResultPatch",
  examples: [{ expectedVersion: 1, result: "violated", comment: "Не привітався з клієнтом" }]
})
export type ResultPatch = typeof ResultPatch.Type

export const OptionalComment = Schema.Struct({ comment: Schema.optionalKey(LongText) }).annotate({
  identifier: "TransitionRequest",
  examples: [{ comment: "Погоджено" }]
})
export const RequiredComment = Schema.Struct({ comment: LongText }).annotate({
  identifier: "CommentedTransitionRequest",
  examples: [{ comment: "Клієнта звали інакше" }]
})

export const assessments = collectionOf("quality/assessments", Assessment)
