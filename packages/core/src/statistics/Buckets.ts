// The start times (UTC) of the hours, days, weeks and months of a range in a time zone (contract §9.3).
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import type { Interval } from "@rapport/contract/statistics/ReportQuery.ts"
import { stretchesOf } from "./ZoneClock.ts"

const HOUR = 3_600_000
/** From Monday, 29 December 1969, to the epoch. */
const MONDAY_TO_EPOCH = 3 * DAY_MILLIS
/** A month and a day: the bucket of a range's start began by then. */
const LOOK_BACK = 32 * DAY_MILLIS

type Unit = Exclude<Interval, "none">

/** The longest unit of each kind. */
const lengths: Readonly<Record<Unit, number>> = {
  hour: HOUR,
  day: DAY_MILLIS,
  week: 7 * DAY_MILLIS,
  month: 31 * DAY_MILLIS
}

/** Start of the unit that contains a local time; local times are epoch milliseconds of the local clock. */
const unitStart = (unit: Unit, local: number): number => {
  if (unit === "month") {
    const date = new Date(local)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  }
  const before = unit === "week" ? MONDAY_TO_EPOCH : 0
  return Math.floor((local + before) / lengths[unit]) * lengths[unit] - before
}
const nextUnit = (unit: Unit, start: number): number => unitStart(unit, start + lengths[unit])

/**
 * Ascending; the first bucket contains `from` and may begin earlier. A day begins with its first millisecond, even if the clock
 * does not show 00:00; an hour that the clock shows twice is two buckets.
 */
export const bucketStarts = (
  unit: Unit,
  timezone: string,
  from: number,
  to: number
): ReadonlyArray<number> => {
  const starts: Array<number> = []
  let latest = -Infinity
  const begin = (label: number, at: number) => {
    latest = Math.max(latest, label)
    // Of the buckets before the range only the last is kept.
    if (at <= from) starts.length = 0
    starts.push(at)
  }
  for (const [i, stretch] of stretchesOf(timezone, from - LOOK_BACK, to).entries()) {
    const local = stretch.from + stretch.offset
    const first = unitStart(unit, local)
    // The clock was moved into the middle of a bucket.
    if (i > 0 && first !== local && (first > latest || unit === "hour")) begin(first, stretch.from)
    for (
      let label = first === local ? first : nextUnit(unit, first);
      label - stretch.offset < stretch.to;
      label = nextUnit(unit, label)
    ) {
      if (label > latest || unit === "hour") begin(label, label - stretch.offset)
    }
  }
  return starts
}
