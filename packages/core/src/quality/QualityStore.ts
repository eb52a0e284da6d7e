// Port of criteria and checklists in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Checklist, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"

type Stored<A, E = never> = Effect.Effect<A, E | SourceUnavailable>
type Listed = (session: AuthorizedSession, request: ListRequest) => Stored<ListRows>
type Found<A> = (session: AuthorizedSession, id: number) => Stored<A | undefined>
/** Locks the record and asks what it shall be (null: no change); undefined where there is none. */
type Updated<A> = <E>(
  session: AuthorizedSession,
  id: number,
  decide: (found: A) => Effect.Effect<A | null, E>
) => Stored<A | undefined, E>
/** `used`: something names the record, and it stays; undefined where there is none. */
type Removed = (session: AuthorizedSession, id: number) => Stored<"removed" | "used" | undefined>

type CriterionContent = Omit<Criterion, "id" | "version">
type ChecklistContent = Omit<Checklist, "id" | "version">

/** Writes run in a transaction, and leave their audit entry in it. */
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
    /** Those of the ids that are none of the instance's; the others stay until the transaction ends. */
    readonly unknownCriteria: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => Stored<ReadonlyArray<number>>
  }
>()("core/quality/QualityStore") {}
