// The working hours of a calendar as intervals of UTC (contract §9.3).
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import { type Calendar, minutesOf, type Working } from "@rapport/contract/statistics/Calendar.ts"
import { Effect } from "effect"
import { stretchesOf } from "./ZoneClock.ts"

const MINUTE = 60_000
/** Time span that is computed between two pauses: a few milliseconds for any calendar. */
const SPAN_MILLIS = 366 * DAY_MILLIS
/** Weekday of 1 January 1970, Thursday, counted from Monday as 0. */
const EPOCH_WEEKDAY = 3

/** Ascending, disjoint intervals; `before` is the working time from the start of the range to `from`. All in milliseconds. */
export interface WorkedSpan {
  readonly from: number
  readonly millis: number
  readonly before: number
}

interface WorkedRange {
  readonly from: number
  readonly to: number
  /** The computation ends after this much working time since `counted`. */
  readonly enough: number
  readonly counted: number
  /** It also ends after this many intervals. */
  readonly most: number
}

/** After the last interval no working time is added. */
export const workedSpans = Effect.fnUntraced(function* (
  { holidays, timezone, weekly }: Pick<Calendar, "holidays" | "timezone" | "weekly">,
  range: WorkedRange
): Effect.fn.Return<ReadonlyArray<WorkedSpan>> {
  const found: Array<WorkedSpan> = []
  const free = new Set(holidays.map((day) => Date.parse(`${day}T00:00:00Z`) / DAY_MILLIS))
  const days = hoursByWeekday(weekly)
  let before = 0
  let beforeCounted = 0
  const add = (from: number, to: number) => {
    if (to <= from) return
    const last = found.at(-1)
    if (last !== undefined && last.from + last.millis === from)
      found[found.length - 1] = { ...last, millis: to - last.from }
    else found.push({ from, millis: to - from, before })
    before += to - from
    if (from < range.counted) beforeCounted = before
  }
  const isEnough = () => before - beforeCounted > range.enough || found.length > range.most
  for (let start = range.from; start < range.to && weekly.length > 0; start += SPAN_MILLIS) {
    const end = Math.min(start + SPAN_MILLIS, range.to)
    for (const { from, offset, to } of stretchesOf(timezone, start, end)) {
      const last = Math.floor((to + offset - 1) / DAY_MILLIS)
      for (let day = Math.floor((from + offset) / DAY_MILLIS); day <= last; day++) {
        if (free.has(day)) continue
        const midnight = day * DAY_MILLIS - offset
        for (const hours of days[(((day + EPOCH_WEEKDAY) % 7) + 7) % 7] ?? [])
          add(Math.max(from, midnight + hours.from), Math.min(to, midnight + hours.to))
        if (isEnough()) return found
      }
    }
    yield* Effect.yieldNow
  }
  return found
})

/** Monday first; milliseconds of the clock's day, ascending. */
const hoursByWeekday = (weekly: ReadonlyArray<Working>) =>
  [1, 2, 3, 4, 5, 6, 7].map((weekday) =>
    weekly
      .filter(({ day }) => day === weekday)
      .map(({ from, to }) => ({ from: minutesOf(from) * MINUTE, to: minutesOf(to) * MINUTE }))
      .toSorted((a, b) => a.from - b.from)
  )
