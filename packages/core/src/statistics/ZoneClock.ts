// The intervals of a range in which the UTC offset of a time zone is constant.
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"

/** `from` and `to` are epoch milliseconds, `to` is exclusive; local time = UTC + offset. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly offset: number
}

/** Two offset changes are never closer than this. */
const SAMPLE_MILLIS = 2 * DAY_MILLIS
const SECOND = 1_000

/** No offset changed before: every place used its solar time. */
const FIRST_CHANGE = Date.UTC(1800, 0, 1)

type Offset = (millis: number) => number

/** The offset of a zone at a time, in milliseconds, exact to the second. */
const offsetsOf = (timezone: string): Offset => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" })
  return (millis) => {
    const name = format.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value ?? ""
    const parts = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/u.exec(name)
    if (parts === null) return 0
    const [, sign, hours, minutes, seconds = "0"] = parts
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * SECOND
    return sign === "-" ? -size : size
  }
}

/** The first millisecond of a day, whose date is a midnight of UTC, though the clock may not show 00:00. */
export const dayStart = (timezone: string, date: number): number => {
  for (const { from, offset, to } of stretchesOf(timezone, date - SAMPLE_MILLIS, date + SAMPLE_MILLIS)) {
    const start = Math.max(from, date - offset)
    if (start < to) return start
  }
  return date
}

/** The intervals of a range in order, without gaps. */
export const stretchesOf = (timezone: string, from: number, to: number): ReadonlyArray<Stretch> => {
  const offsetAt = offsetsOf(timezone)
  const stretches: Array<Stretch> = []
  let start = from
  let offset = offsetAt(from)
  for (let seen = from; seen < to;) {
    const next = Math.min(Math.max(seen + SAMPLE_MILLIS, FIRST_CHANGE), to)
    const nextOffset = offsetAt(next)
    if (nextOffset !== offset) {
      const changed = changeBetween(offsetAt, offset, seen, next)
      if (changed >= to) break
      stretches.push({ from: start, to: changed, offset })
      start = changed
      offset = nextOffset
    }
    seen = next
  }
  return [...stretches, { from: start, to, offset }]
}

/** The first whole second with another offset. */
const changeBetween = (offsetAt: Offset, offset: number, before: number, after: number): number => {
  let low = Math.floor(before / SECOND)
  let high = Math.ceil(after / SECOND)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * SECOND) === offset) low = middle
    else high = middle
  }
  return high * SECOND
}
