// Port of the numbers of the statistics: aggregates over the dialogues that a session counts, and those dialogues themselves.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { DialogueMetrics, SlaTotals } from "@rapport/contract/statistics/Report.ts"
import { Context } from "effect"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { KeyMember, Range, ReportRequest } from "./ReportRequest.ts"
import type { Worked } from "./WorkingTime.ts"
import type { Stored } from "../lists/Stored.ts"

/** The values of the key's members, and the place of the bucket in the request, from 0. */
export interface RowKey {
  readonly members: Readonly<Partial<Record<KeyMember, number | string | null>>>
  readonly bucket: number | null
}

/** At most `rowsMax` + 1 rows, ordered by their keys, of keys that have dialogues; totals of all dialogues. */
export interface Aggregated<M> {
  readonly rows: ReadonlyArray<{ readonly key: RowKey; readonly metrics: M }>
  readonly totals: M
}

/** Targets of a subject; a calendar is named by its id. */
export interface Target {
  readonly subjectId: number
  readonly tfrSec: number | null
  readonly ttcSec: number | null
  readonly calendarId: number | null
}

export interface CalendarHours {
  readonly id: number
  readonly worked: ReadonlyArray<Worked>
}

/** What the dialogues are judged by, and the moment at which an open one is. */
export interface Judging {
  readonly targets: ReadonlyArray<Target>
  readonly calendars: ReadonlyArray<CalendarHours>
  readonly now: number
}

/** A judging is null where no filter asks for it. */
export class StatisticsStore extends Context.Service<
  StatisticsStore,
  {
    /** `ofOperators`: dialogues with an operator, and of messages those written by the operator. */
    readonly dialogues: (
      session: AuthorizedSession,
      request: ReportRequest,
      options: {
        readonly ofOperators: boolean
        readonly rowsMax: number
        readonly judging: Judging | null
      }
    ) => Stored<Aggregated<DialogueMetrics>>
    /** Dialogues of subjects with a target; tfr and ttc count those with that target. */
    readonly sla: (
      session: AuthorizedSession,
      request: ReportRequest,
      options: { readonly judging: Judging; readonly rowsMax: number }
    ) => Stored<Aggregated<SlaTotals>>
    /** Dialogues created in the range. */
    readonly rows: (
      session: AuthorizedSession,
      range: Range,
      request: ListRequest,
      judging: Judging | null
    ) => Stored<ListRows>
  }
>()("core/statistics/StatisticsStore") {}
