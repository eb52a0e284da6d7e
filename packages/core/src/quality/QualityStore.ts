// Port of criteria and checklists in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Checklist, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { Context } from "effect"
import type { Found, Listed, Removed, Stored, Updated } from "../lists/Stored.ts"

type CriterionContent = Omit<Criterion, "id" | "version">
type ChecklistContent = Omit<Checklist, "id" | "version">

/** Writes run in a transaction, with their audit entry. */
export class QualityStore extends Context.Service<
  QualityStore,
  {
    readonly listCriteria: Listed
    readonly findCriterion: Found<Criterion>
    readonly createCriterion: (session: AuthorizedSession, content: CriterionContent) => Stored<Criterion>
    readonly updateCriterion: Updated<Criterion>
    readonly removeCriterion: Removed
    readonly listChecklists: Listed
    readonly findChecklist: Found<Checklist>
    readonly createChecklist: (session: AuthorizedSession, content: ChecklistContent) => Stored<Checklist>
    readonly updateChecklist: Updated<Checklist>
    readonly removeChecklist: Removed
    /** The ids that are not of the instance; the others are locked until the transaction ends. */
    readonly unknownCriteria: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => Stored<ReadonlyArray<number>>
  }
>()("core/quality/QualityStore") {}
