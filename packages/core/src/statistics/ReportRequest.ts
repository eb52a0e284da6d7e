// The request of a report, decoded from the query parameters (contract §9.3).
import { DAY_MILLIS, rangeMillisOf } from "@rapport/contract/values/Time.ts"
import { InvalidRequest, QueryBudgetExceeded } from "@rapport/contract/Errors.ts"
import { STATISTICS_DAYS_MAX } from "@rapport/contract/Limits.ts"
import type { QueryRecord } from "@rapport/contract/lists/Collection.ts"
import { type DialogueKind, dialogueKinds } from "@rapport/contract/statistics/Dialogue.ts"
import {
  type Grouping,
  groupings,
  type Interval,
  intervals
} from "@rapport/contract/statistics/ReportQuery.ts"
import { Effect } from "effect"
import { filtersIn, type ListFilter } from "../lists/ListRequest.ts"
import { bucketStarts } from "./Buckets.ts"
import { dayStart } from "./ZoneClock.ts"

/** Epoch milliseconds; `to` is exclusive. */
export interface ReportRange {
  readonly from: number
  readonly to: number
}

export type KeyMember = "subjectId" | "operatorId" | "channel" | "priority"

/** Which dialogues are counted. */
export interface CountedDialogues {
  readonly range: ReportRange
  readonly kind: DialogueKind
}

export interface ReportRequest extends CountedDialogues {
  readonly timezone: string
  /** In the order of the key. */
  readonly members: ReadonlyArray<KeyMember>
  /** Whether groupBy was given: then, as for operators, empty buckets are left out. */
  readonly grouped: boolean
  /** Start times of all buckets; null without an interval. */
  readonly buckets: ReadonlyArray<number> | null
  readonly filters: ReadonlyArray<ListFilter>
  readonly format: "json" | "csv"
}

/** In the order of the key. */
const memberOf: Readonly<Record<Grouping, KeyMember>> = {
  subject: "subjectId",
  operator: "operatorId",
  channel: "channel",
  priority: "priority"
}

/** Fails for an empty or too long range. */
export const rangeIn = Effect.fnUntraced(function* (query: QueryRecord) {
  const [from, to] = [String(query["from"]), String(query["to"])]
  const timezone = timezoneIn(query)
  const range: ReportRange = { from: edgeOf(from, timezone), to: edgeOf(to, timezone) }
  if (range.to <= range.from)
    return yield* new InvalidRequest({
      detail: "to must be later than from",
      errors: [{ path: "to", message: "must be later than from" }]
    })
  // Days of a zone count as days, though one has 23 hours and another 25.
  const millis = isDate(from) && isDate(to) ? Date.parse(to) - Date.parse(from) : range.to - range.from
  if (millis > STATISTICS_DAYS_MAX * DAY_MILLIS) {
    const message = `must be at most ${STATISTICS_DAYS_MAX} days later than from`
    return yield* new QueryBudgetExceeded({ detail: `to ${message}`, errors: [{ path: "to", message }] })
  }
  return range
})

const timezoneIn = (query: QueryRecord): string =>
  typeof query["timezone"] === "string" ? query["timezone"] : "UTC"
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/u.test(text)
const edgeOf = (text: string, timezone: string): number =>
  isDate(text) ? dayStart(timezone, Date.parse(text)) : Number(rangeMillisOf(text))

export const kindIn = (query: QueryRecord): DialogueKind =>
  dialogueKinds.find((kind) => kind === query["kind"]) ?? "chat"

export const formatIn = (query: QueryRecord): "json" | "csv" => (query["format"] === "csv" ? "csv" : "json")

/** `query` is decoded, `names` are the parameters as sent; `always` is the key member that every row has. */
export const reportRequest = Effect.fnUntraced(function* (
  query: QueryRecord,
  names: ReadonlyArray<string>,
  always: KeyMember | null
) {
  const range = yield* rangeIn(query)
  const timezone = timezoneIn(query)
  const grouping = groupings.find((word) => word === query["groupBy"])
  const interval: Interval = intervals.find((word) => word === query["interval"]) ?? "none"
  const wanted = [always, grouping === undefined ? null : memberOf[grouping]]
  return {
    range,
    kind: kindIn(query),
    timezone,
    members: Object.values(memberOf).filter((member) => wanted.includes(member)),
    grouped: grouping !== undefined,
    buckets: interval === "none" ? null : bucketStarts(interval, timezone, range.from, range.to),
    filters: filtersIn(query, names),
    format: formatIn(query)
  } satisfies ReportRequest
})
