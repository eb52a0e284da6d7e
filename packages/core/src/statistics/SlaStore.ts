// Port of calendars and targets in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Calendar, SlaTarget } from "@rapport/contract/statistics/Calendar.ts"
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { Target } from "./StatisticsStore.ts"

type Stored<A, E = never> = Effect.Effect<A, E | SourceUnavailable>

/** A calendar before it has an id and a version. */
export type CalendarContent = Omit<Calendar, "id" | "version">

/** Writes run in a transaction, and leave their audit entry in it. */
export class SlaStore extends Context.Service<
  SlaStore,
  {
    readonly listCalendars: (session: AuthorizedSession, request: ListRequest) => Stored<ListRows>
    readonly findCalendar: (session: AuthorizedSession, id: number) => Stored<Calendar | undefined>
    readonly createCalendar: (session: AuthorizedSession, content: CalendarContent) => Stored<Calendar>
    /** Locks the calendar and asks what it shall be (null: no change); undefined where there is none. */
    readonly updateCalendar: <E>(
      session: AuthorizedSession,
      id: number,
      decide: (found: Calendar) => Effect.Effect<Calendar | null, E>
    ) => Stored<Calendar | undefined, E>
    /** Undefined for a subject that the instance does not have; all null without a target. */
    readonly findTarget: (session: AuthorizedSession, subjectId: number) => Stored<SlaTarget | undefined>
    /** Undefined as in findTarget; `unknown` where the instance has no such calendar. */
    readonly setTarget: (
      session: AuthorizedSession,
      subjectId: number,
      target: SlaTarget
    ) => Stored<"set" | "unknown" | undefined>
    /** Of all subjects that have a target, with the calendars these name. */
    readonly judgedBy: (session: AuthorizedSession) => Stored<{
      readonly targets: ReadonlyArray<Target>
      readonly calendars: ReadonlyArray<Calendar>
    }>
  }
>()("core/statistics/SlaStore") {}
