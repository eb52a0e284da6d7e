// Port of calendars and targets in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Calendar, SlaTarget } from "@rapport/contract/statistics/Calendar.ts"
import { Context } from "effect"
import type { FindMethod, ListMethod, StoreEffect, UpdateMethod } from "../lists/StoreMethods.ts"

/** The stored targets of a subject. */
export interface SubjectTarget extends SlaTarget {
  readonly subjectId: number
}

/** A calendar before it has an id and a version. */
export type CalendarContent = Omit<Calendar, "id" | "version">

/** Writes run in a transaction, with their audit entry. */
export class SlaStore extends Context.Service<
  SlaStore,
  {
    readonly listCalendars: ListMethod
    readonly findCalendar: FindMethod<Calendar>
    readonly createCalendar: (session: AuthorizedSession, content: CalendarContent) => StoreEffect<Calendar>
    /** Locks the calendar and writes the result of `decide` (null: no change); undefined if there is none. */
    readonly updateCalendar: UpdateMethod<Calendar>
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
