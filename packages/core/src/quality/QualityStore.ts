// Port of criteria and checklists in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Checklist, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { Context } from "effect"
import type {
  FindMethod,
  ListMethod,
  RemoveMethod,
  StoreEffect,
  UpdateMethod
} from "../lists/StoreMethods.ts"

type CriterionContent = Omit<Criterion, "id" | "version">
type ChecklistContent = Omit<Checklist, "id" | "version">

/** Writes run in a transaction, with their audit entry. */
export class QualityStore extends Context.Service<
  QualityStore,
  {
    readonly listCriteria: ListMethod
    readonly findCriterion: FindMethod<Criterion>
    readonly createCriterion: (
      session: AuthorizedSession,
      content: CriterionContent
    ) => StoreEffect<Criterion>
    readonly updateCriterion: UpdateMethod<Criterion>
    readonly removeCriterion: RemoveMethod
    readonly listChecklists: ListMethod
    readonly findChecklist: FindMethod<Checklist>
    readonly createChecklist: (
      session: AuthorizedSession,
      content: ChecklistContent
    ) => StoreEffect<Checklist>
    readonly updateChecklist: UpdateMethod<Checklist>
    readonly removeChecklist: RemoveMethod
    /** The ids that are not of the instance; the others are locked until the transaction ends. */
    readonly unknownCriteria: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => StoreEffect<ReadonlyArray<number>>
  }
>()("core/quality/QualityStore") {}
