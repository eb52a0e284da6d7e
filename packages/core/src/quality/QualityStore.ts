// Port of criteria and checklists in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Checklist, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { Context } from "effect"
import type { RemovableMethods, StoreEffect } from "../lists/StoreMethods.ts"

export class QualityStore extends Context.Service<
  QualityStore,
  {
    readonly criteria: RemovableMethods<Criterion>
    readonly checklists: RemovableMethods<Checklist>
    /** The ids that are not of the instance; the others are locked until the transaction ends. */
    readonly unknownCriteria: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => StoreEffect<ReadonlyArray<number>>
  }
>()("core/quality/QualityStore") {}
