// Calendars of working hours and response targets of the first company, for the statistics.
import { DAY_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import type { CalendarRow, SlaTargetRow } from "./SeedRows.ts"

const OFFICE = 1
const SHOP = 2

const hours = (days: ReadonlyArray<number>, from: string, to: string) =>
  days.map((day) => ({ day, from, to }))

/** New Year, Independence Day and Christmas of the years that the demo lies in. */
const holidays = (midnight: number): ReadonlyArray<string> => {
  const last = new Date(midnight + DAY_MILLIS).getUTCFullYear()
  return [last - 2, last - 1, last].flatMap((year) => [`${year}-01-01`, `${year}-08-24`, `${year}-12-25`])
}

export const calendars = (instanceId: number, midnight: number): ReadonlyArray<CalendarRow> =>
  instanceId !== fixedIds.instance
    ? []
    : [
        {
          instanceId,
          id: OFFICE,
          name: "Контакт-центр",
          timezone: "Europe/Kyiv",
          weekly: [...hours([1, 2, 3, 4, 5], "08:00", "20:00"), ...hours([6], "10:00", "16:00")],
          holidays: holidays(midnight)
        },
        {
          instanceId,
          id: SHOP,
          name: "Магазин, с обедом",
          timezone: "Europe/Kyiv",
          weekly: [1, 2, 3, 4, 5].flatMap((day) => [
            ...hours([day], "09:00", "13:00"),
            ...hours([day], "14:00", "18:00")
          ]),
          holidays: holidays(midnight)
        }
      ]

// Outages count around the clock; the shop answers in its hours.
const lines: ReadonlyArray<
  readonly [subjectId: number, tfrSec: number, ttcSec: number | null, calendarId: number | null]
> = [
  [1, 600, 28_800, OFFICE],
  [2, 900, 28_800, OFFICE],
  [3, 300, 14_400, null],
  [7, 1_800, 57_600, SHOP],
  [8, 1_800, null, SHOP],
  [12, 600, 28_800, OFFICE]
]

const HOUR_SECONDS = 3_600

/** Tickets are answered within hours and solved within days, urgent ones sooner. */
const ticketTargets = (tfrSec: number): SlaTargetRow["overrides"] => [
  { kind: "ticket", priority: null, tfrSec: 24 * tfrSec, ttcSec: 120 * HOUR_SECONDS },
  { kind: "ticket", priority: "urgent", tfrSec: 6 * tfrSec, ttcSec: 24 * HOUR_SECONDS }
]

export const slaTargets = (instanceId: number): ReadonlyArray<SlaTargetRow> =>
  instanceId !== fixedIds.instance
    ? []
    : lines.map(([subjectId, tfrSec, ttcSec, calendarId]) => ({
        instanceId,
        subjectId,
        tfrSec,
        ttcSec,
        calendarId,
        overrides: ticketTargets(tfrSec)
      }))
