// The working time of calendars is compared with the local time at each half hour, over changes to summer time and the end of a year
// (contract §9.3, §12).
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { withTurns } from "../testing/EventLoop.ts"
import { workedSpans } from "./WorkingTime.ts"

/** All working hours below begin and end at a multiple of it. */
const HALF_HOUR = 1_800_000
const DAY = 86_400_000
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"))
const everyHour = [1, 2, 3, 4, 5, 6, 7].flatMap((day) =>
  HOURS.map((hour) => ({ day, from: `${hour}:00`, to: `${hour}:59` }))
)
const office = [
  { day: 1, from: "09:00", to: "13:00" },
  { day: 1, from: "13:30", to: "24:00" },
  { day: 2, from: "00:00", to: "02:30" },
  { day: 7, from: "00:00", to: "24:00" }
]
const all = { counted: Infinity, enough: Infinity, most: Infinity }

const clockOf = (timezone: string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23"
  })
  return (millis: number) => format.format(millis).split(", ")
}

it.effect("working time follows the local time of its zone", () =>
  Effect.gen(function* () {
    for (const timezone of ["Europe/Kyiv", "America/New_York", "Australia/Lord_Howe"]) {
      const [from, to] = [Date.UTC(2024, 2, 1, 10), Date.UTC(2025, 3, 10)]
      const holidays = ["2024-04-01", "2025-03-09", "2025-03-02"]
      const found = yield* workedSpans({ timezone, weekly: office, holidays }, { ...all, from, to })
      const clock = clockOf(timezone)
      let before = 0
      let at = 0
      for (let millis = from; millis < to; millis += HALF_HOUR) {
        const [date = "", time = ""] = clock(millis)
        const weekday = new Date(`${date}T00:00:00Z`).getUTCDay() || 7
        const works =
          !holidays.includes(date) &&
          office.some(({ day, from: begin, to: end }) => day === weekday && begin <= time && time < end)
        while (found[at + 1] !== undefined && (found[at + 1]?.from ?? 0) <= millis) at++
        const span = found[at]
        const inside = span !== undefined && span.from <= millis && millis < span.from + span.millis
        assert.strictEqual(inside, works, `${timezone} ${date} ${time}`)
        if (span !== undefined && millis === span.from) assert.strictEqual(span.before, before)
        if (works) before += HALF_HOUR
      }
    }
  })
)

it.effect("working time ends at its limit or after too many spans", () =>
  Effect.gen(function* () {
    const range = { ...all, from: Date.UTC(2024, 0, 1), to: Date.UTC(2030, 0, 1) }
    const calendar = { timezone: "UTC", weekly: everyHour, holidays: [] }
    const counted = Date.UTC(2024, 0, 8)
    const enough = yield* workedSpans(calendar, { ...range, counted, enough: 7 * DAY })
    assert.isAtLeast(enough.length, 14 * 24)
    assert.isAtMost(enough.length, 15 * 24)
    assert.isAtMost((yield* workedSpans(calendar, { ...range, most: 100 })).length, 124)
    assert.deepStrictEqual(yield* workedSpans({ ...calendar, weekly: [] }, range), [])
  })
)

it("working time of thousands of years yields to other requests", async () => {
  const weekly = [{ day: 1, from: "09:00", to: "10:00" }]
  const range = { ...all, from: Date.parse("0001-01-01T00:00:00Z"), to: Date.UTC(2026, 0, 1) }
  const { found, made } = await withTurns((turns) =>
    Effect.map(workedSpans({ timezone: "Europe/Kyiv", weekly, holidays: [] }, range), (found) => ({
      found,
      made: turns()
    }))
  )
  assert.strictEqual(found.length, Math.floor((range.to - range.from) / DAY / 7) + 1)
  assert.isAtLeast(made, 2_000)
})
