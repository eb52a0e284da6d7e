// Port of assessments in the primary database: every read is of what the session may see.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Assessment, AssessedCriterion } from "@rapport/contract/quality/Assessment.ts"
import { Context, type Effect } from "effect"
import type { Step } from "./Scoring.ts"
import type { Found, Listed, Stored } from "../lists/Stored.ts"

/** What an assessment is made of; undefined: unknown, foreign or not visible. */
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

/** What happened to an assessment; the comment of a step is kept with it. */
export type Happening =
  | { readonly kind: "result"; readonly criterionId: number }
  | { readonly kind: Step; readonly comment: string | null }

/** Writes run in a transaction, and leave their audit entry in it. */
export class AssessmentStore extends Context.Service<
  AssessmentStore,
  {
    readonly list: Listed
    readonly find: Found<Assessment>
    /** Checklist and criteria stay as they are until the transaction ends. */
    readonly look: (session: AuthorizedSession, appealId: number, checklistId: number) => Stored<Assessable>
    readonly create: (session: AuthorizedSession, draft: AssessmentDraft) => Stored<Assessment>
    /** Locks the assessment and asks what it shall be (null: no change); undefined where the session sees none. */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      happening: Happening,
      decide: (found: Assessment) => Effect.Effect<Assessment | null, E>
    ) => Stored<Assessment | undefined, E>
  }
>()("core/quality/AssessmentStore") {}
