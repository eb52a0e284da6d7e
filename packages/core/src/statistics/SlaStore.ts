// Port of calendars and targets in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Calendar, SlaTarget } from "@rapport/contract/statistics/Calendar.ts"
import { Context } from "effect"
import type { RecordMethods, StoreEffect } from "../lists/StoreMethods.ts"

/** The stored targets of a subject. */
export interface SubjectTarget extends SlaTarget {
  readonly subjectId: number
}

/** Writes run in a transaction, with their audit entry. */
export class SlaStore extends Context.Service<
  SlaStore,
  {
    readonly calendars: RecordMethods<Calendar>
    /** Undefined for a subject that the instance does not have; all null without a target. */
    readonly findTarget: (session: AuthorizedSession, subjectId: number) => StoreEffect<SlaTarget | undefined>
    /** Undefined as in findTarget; `unknown`: the instance has no such calendar. */
    readonly setTarget: (
      session: AuthorizedSession,
      subjectId: number,
      target: SlaTarget
    ) => StoreEffect<"set" | "unknown" | undefined>
    /** All targets of subjects, with their calendars. */
    readonly loadTargets: (session: AuthorizedSession) => StoreEffect<{
      readonly targets: ReadonlyArray<SubjectTarget>
      readonly calendars: ReadonlyArray<Calendar>
    }>
  }
>()("core/statistics/SlaStore") {}
