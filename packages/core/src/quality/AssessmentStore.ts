// Port of assessments in the primary database; reads return only what the session may see.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Assessment, AssessedCriterion } from "@rapport/contract/quality/Assessment.ts"
import { Context, type Effect } from "effect"
import type { AssessmentStep } from "./Scoring.ts"
import type { FindMethod, ListMethod, StoreEffect } from "../lists/StoreMethods.ts"

/** Appeal and checklist of a new assessment; undefined: unknown, of another instance or not visible. */
export interface Assessable {
  readonly appeal: { readonly operatorId: number | null; readonly closed: boolean } | undefined
  readonly checklist:
    | {
        readonly version: number
        readonly active: boolean
        /** Without results, in the order of the checklist. */
        readonly criteria: ReadonlyArray<AssessedCriterion>
      }
    | undefined
}

type AssessmentDraft = Pick<
  Assessment,
  "appealId" | "operatorId" | "checklistId" | "checklistVersion" | "score" | "criteria"
>

/** An event of an assessment, with the comment of its step. */
export type AssessmentEvent =
  | { readonly kind: "result"; readonly criterionId: number }
  | { readonly kind: AssessmentStep; readonly comment: string | null }

/** Writes run in a transaction, with their audit entry. */
export class AssessmentStore extends Context.Service<
  AssessmentStore,
  {
    readonly list: ListMethod
    readonly find: FindMethod<Assessment>
    /** Locks checklist and criteria until the transaction ends. */
    readonly readAssessable: (
      session: AuthorizedSession,
      appealId: number,
      checklistId: number
    ) => StoreEffect<Assessable>
    readonly create: (session: AuthorizedSession, draft: AssessmentDraft) => StoreEffect<Assessment>
    /** Locks the assessment and writes the result of `decide` (null: no change); undefined if the session sees none. */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      event: AssessmentEvent,
      decide: (found: Assessment) => Effect.Effect<Assessment | null, E>
    ) => StoreEffect<Assessment | undefined, E>
  }
>()("core/quality/AssessmentStore") {}
