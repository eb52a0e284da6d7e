// Calendars of working hours, and the targets of a subject (contract §9.3).
import { Schema } from "effect"
import { Priority } from "../appeals/Appeal.ts"
import type { Violation } from "../Errors.ts"
import { CALENDAR_INTERVALS_MAX, SLA_OVERRIDES_MAX, SLA_SECONDS_MAX } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { distinct } from "../values/Distinct.ts"
import { TimeZone } from "../values/Formats.ts"
import { PositiveInt, Version } from "../values/Ids.ts"
import { integerFrom } from "../values/Numbers.ts"
import { emptiable, expectedVersion, listOf, ShortText } from "../values/Members.ts"
import { repetitionsIn, withRules } from "../values/Checks.ts"
import { rangeMillisOf } from "../values/Time.ts"
import { DialogueKind } from "./Dialogue.ts"

const clock = (pattern: RegExp, message: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))

/** An interval of one day in the time zone of the calendar, without `to`. */
const Working = Schema.Struct({
  day: integerFrom(1, 7, "must be 1 (Monday) to 7 (Sunday)"),
  from: clock(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/u, "must be a time of day, HH:MM"),
  to: clock(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/u, "must be a time of day, HH:MM, or 24:00")
}).annotate({ identifier: "WorkingHours" })
export type Working = typeof Working.Type

const Day = Schema.String.check(
  Schema.makeFilter<string>(
    (text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u.test(text) && rangeMillisOf(text) !== undefined,
    {
      message: "must be a date, YYYY-MM-DD",
      toJsonSchema: () => ({ format: "date" })
    }
  )
)

/** Weekly hours are ordered by day and time, holidays by date. */
export const Calendar = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  timezone: Schema.String,
  weekly: Schema.Array(Working),
  holidays: Schema.Array(Schema.String),
  version: Version
}).annotate({ identifier: "Calendar" })
export type Calendar = typeof Calendar.Type

/** Minutes of the day of "HH:MM". */
export const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

const isWorking = Schema.is(Working)

/** Each interval ends after it begins, and intervals do not overlap. */
const weeklyRules = (body: Readonly<Record<string, unknown>>): ReadonlyArray<Violation> => {
  const weekly = body["weekly"]
  if (!Array.isArray(weekly) || weekly.length > CALENDAR_INTERVALS_MAX || !weekly.every((w) => isWorking(w)))
    return []
  const stretches = weekly.map(({ day, from, to }, place) => ({
    place,
    from: day * 1440 + minutesOf(from),
    to: day * 1440 + minutesOf(to)
  }))
  const found = stretches.flatMap(({ from, place, to }): ReadonlyArray<Violation> =>
    to > from ? [] : [{ path: `weekly[${place}].to`, message: "must be later than from" }]
  )
  let end = 0
  for (const { from, place, to } of stretches.toSorted((a, b) => a.from - b.from || a.place - b.place)) {
    if (from < end)
      found.push({ path: `weekly[${place}]`, message: "overlaps another interval of the same day" })
    end = Math.max(end, to)
  }
  return found
}

const example = {
  name: "Office",
  timezone: "Europe/Kyiv",
  weekly: [1, 2, 3, 4, 5].map((weekday) => ({ day: weekday, from: "09:00", to: "18:00" })),
  holidays: ["2026-12-25"]
}

export const CalendarRequest = Schema.Struct({
  name: ShortText,
  timezone: Schema.optionalKey(TimeZone),
  weekly: Schema.optionalKey(listOf(Working, CALENDAR_INTERVALS_MAX)),
  holidays: Schema.optionalKey(distinct(Day))
})
  .pipe(withRules(weeklyRules))
  .annotate({ identifier: "CalendarRequest", examples: [example] })
export type CalendarRequest = typeof CalendarRequest.Type

export const CalendarPatch = Schema.Struct({
  expectedVersion,
  ...CalendarRequest.fields,
  name: Schema.optionalKey(ShortText)
})
  .pipe(withRules(weeklyRules))
  .annotate({
    identifier: "CalendarPatch",
    examples: [{ expectedVersion: 1, holidays: ["2026-12-25", "2027-01-01"] }]
  })
export type CalendarPatch = typeof CalendarPatch.Type

export const calendars = collectionOf("statistics/calendars", Calendar, { except: ["holidays"] })

const Seconds = integerFrom(1, SLA_SECONDS_MAX)

/** Targets of one kind and priority. A null priority is every priority without targets of its own. */
export const SlaOverride = Schema.Struct({
  kind: DialogueKind,
  priority: Schema.NullOr(Priority),
  tfrSec: Schema.NullOr(Seconds),
  ttcSec: Schema.NullOr(Seconds)
}).annotate({ identifier: "SlaOverride" })
export type SlaOverride = typeof SlaOverride.Type

const targetExample = {
  tfrSec: 300,
  ttcSec: 28_800,
  calendarId: 1,
  overrides: [
    { kind: "chat", priority: "urgent", tfrSec: 60, ttcSec: 14_400 },
    { kind: "ticket", priority: null, tfrSec: 14_400, ttcSec: 259_200 }
  ]
} as const

/** tfrSec and ttcSec are the targets of chats. Without seconds there is no target. Without a calendar every second counts. */
export const SlaTarget = Schema.Struct({
  tfrSec: Schema.NullOr(Seconds),
  ttcSec: Schema.NullOr(Seconds),
  calendarId: Schema.NullOr(PositiveInt),
  overrides: Schema.Array(SlaOverride)
}).annotate({ identifier: "SlaTarget", examples: [targetExample] })
export type SlaTarget = typeof SlaTarget.Type

const Override = Schema.Struct({
  kind: DialogueKind,
  priority: emptiable(Priority),
  tfrSec: emptiable(Seconds),
  ttcSec: emptiable(Seconds)
}).annotate({ identifier: "SlaOverrideRequest" })
const isOverride = Schema.is(Override)

/** Each kind and priority occurs once, so that at most ten fit. */
const overridesOnce = withRules((body) =>
  repetitionsIn(body, "overrides", "", "repeats the kind and priority of another override", (override) =>
    isOverride(override) ? `${override.kind} ${override.priority ?? null}` : undefined
  )
)

/** The PUT replaces the target: an absent member is null. */
export const SlaTargetRequest = Schema.Struct({
  tfrSec: emptiable(Seconds),
  ttcSec: emptiable(Seconds),
  calendarId: emptiable(PositiveInt),
  overrides: Schema.optionalKey(listOf(Override, SLA_OVERRIDES_MAX))
})
  .pipe(overridesOnce)
  .annotate({ identifier: "SlaTargetRequest", examples: [targetExample] })
export type SlaTargetRequest = typeof SlaTargetRequest.Type
