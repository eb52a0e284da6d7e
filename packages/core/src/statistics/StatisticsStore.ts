// Port of statistics: aggregates and rows of the dialogues that a session may count.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Priority } from "@rapport/contract/appeals/Appeal.ts"
import type {
  CsatMetrics,
  DialogueMetrics,
  OperatorMetrics,
  ReportKey,
  SlaTotals
} from "@rapport/contract/statistics/Report.ts"
import { Context } from "effect"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { CountedDialogues, ReportRequest } from "./ReportRequest.ts"
import type { WorkedSpan } from "./WorkingTime.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** The metrics of the dialogues with a key, whose bucket is epoch milliseconds. */
export interface ReportRow<M> {
  readonly key: ReportKey
  readonly metrics: M
}

/** At most STATISTICS_ROWS_MAX + 1 rows of keys with dialogues, ordered by key; totals of all dialogues. */
export interface GroupedMetrics<M> {
  readonly rows: ReadonlyArray<ReportRow<M>>
  readonly totals: M
}

/** Targets of the counted kind, of one priority of a subject, with the id of its calendar. */
export interface TargetRule {
  readonly subjectId: number
  readonly priority: typeof Priority.Type
  readonly tfrSec: number | null
  readonly ttcSec: number | null
  readonly calendarId: number | null
}

export interface CalendarHours {
  readonly id: number
  readonly worked: ReadonlyArray<WorkedSpan>
}

/** Targets and working hours, and the time at which open dialogues are compared. */
export interface TargetRules {
  readonly targets: ReadonlyArray<TargetRule>
  readonly calendars: ReadonlyArray<CalendarHours>
  readonly now: number
}

/** `rules` is null if no filter needs it. */
export class StatisticsStore extends Context.Service<
  StatisticsStore,
  {
    readonly dialogues: (
      session: AuthorizedSession,
      request: ReportRequest,
      rules: TargetRules | null
    ) => StoreEffect<GroupedMetrics<DialogueMetrics>>
    /** Dialogues with an operator, and of messages those written by the operator. */
    readonly operators: (
      session: AuthorizedSession,
      request: ReportRequest,
      rules: TargetRules | null
    ) => StoreEffect<GroupedMetrics<OperatorMetrics>>
    /** Dialogues of subjects with a target; tfr and ttc count those with that target. */
    readonly sla: (
      session: AuthorizedSession,
      request: ReportRequest,
      rules: TargetRules
    ) => StoreEffect<GroupedMetrics<SlaTotals>>
    /** Answers in the range; the kind of the request has no effect. */
    readonly csat: (
      session: AuthorizedSession,
      request: ReportRequest
    ) => StoreEffect<GroupedMetrics<CsatMetrics>>
    /** Dialogues created in the range. */
    readonly rows: (
      session: AuthorizedSession,
      counted: CountedDialogues,
      request: ListRequest,
      rules: TargetRules | null
    ) => StoreEffect<ListRows>
  }
>()("core/statistics/StatisticsStore") {}
