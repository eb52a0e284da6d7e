// Criteria of quality, and checklists of them (contract §9.4).
import { Schema } from "effect"
import { collectionOf } from "../lists/Collection.ts"
import { PositiveInt, Version } from "../values/Ids.ts"
import { integerFrom } from "../values/Numbers.ts"
import { emptiable, expectedVersion, IdList, LongText, ShortText } from "../values/Members.ts"

/** A violation subtracts `penalty` from the score. A violated critical criterion with a penalty makes the score 0. */
export const Criterion = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  weight: Schema.Int,
  critical: Schema.Boolean,
  penalty: Schema.Int,
  version: Version
}).annotate({ identifier: "Criterion" })
export type Criterion = typeof Criterion.Type

export const CriterionRequest = Schema.Struct({
  name: ShortText,
  description: Schema.optionalKey(LongText),
  weight: Schema.optionalKey(integerFrom(1, 100)),
  critical: Schema.optionalKey(Schema.Boolean),
  penalty: Schema.optionalKey(integerFrom(0, 100))
}).annotate({
  identifier: "CriterionRequest",
  examples: [{ name: "Greets the client by name", weight: 10 }]
})
export type CriterionRequest = typeof CriterionRequest.Type

export const CriterionPatch = Schema.Struct({
  expectedVersion,
  ...CriterionRequest.fields,
  name: Schema.optionalKey(ShortText),
  description: emptiable(LongText)
}).annotate({ identifier: "CriterionPatch", examples: [{ expectedVersion: 1, weight: 20 }] })
export type CriterionPatch = typeof CriterionPatch.Type

export const criteria = collectionOf("quality/criteria", Criterion)

/** Criteria in their order. An inactive checklist takes no new assessments. */
export const Checklist = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  criterionIds: Schema.Array(PositiveInt),
  active: Schema.Boolean,
  version: Version
}).annotate({ identifier: "Checklist" })
export type Checklist = typeof Checklist.Type

export const ChecklistRequest = Schema.Struct({
  name: ShortText,
  criterionIds: Schema.optionalKey(IdList),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "ChecklistRequest",
  examples: [{ name: "Written support", criterionIds: [1, 2, 3] }]
})
export type ChecklistRequest = typeof ChecklistRequest.Type

export const ChecklistPatch = Schema.Struct({
  expectedVersion,
  ...ChecklistRequest.fields,
  name: Schema.optionalKey(ShortText)
}).annotate({ identifier: "ChecklistPatch", examples: [{ expectedVersion: 1, active: false }] })
export type ChecklistPatch = typeof ChecklistPatch.Type

export const checklists = collectionOf("quality/checklists", Checklist)
