// When things happen in the demo data: two years back from a midnight, by weekday, by hour, never in the future.
import { Random } from "./Random.ts"

export const MINUTE_MILLIS = 60_000
export const HOUR_MILLIS = 3_600_000
export const DAY_MILLIS = 86_400_000
export const DAYS = 730

const weekdayWeights = [0.45, 1.25, 1.2, 1.1, 1.1, 1.05, 0.6]

// Hours of UTC: Kyiv opens two or three hours earlier.
const hourWeights = [
  0.2, 0.1, 0.1, 0.2, 0.8, 2.5, 6, 9, 10, 10, 9, 8, 9, 9, 8, 7, 6, 5, 4, 2.5, 1.5, 0.8, 0.4, 0.2
]
const hours = hourWeights.map((_, hour) => hour)

/** How many of `total` appeals each day gets, the oldest day first; `growth` pushes them towards the present. */
export const perDay = (
  total: number,
  midnight: number,
  growth: number,
  seed: number
): ReadonlyArray<number> => {
  const random = new Random(seed)
  const weights = Array.from({ length: DAYS }, (_, day) => {
    const weekday = new Date(dayStart(midnight, day)).getUTCDay()
    return ((day + 1) / DAYS) ** growth * (weekdayWeights[weekday] ?? 1) * (0.8 + random.next() * 0.4)
  })
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let passed = 0
  let given = 0
  return weights.map((weight) => {
    passed += weight
    const until = Math.round((passed / whole) * total)
    const count = until - given
    given = until
    return count
  })
}

/** The date in UTC, such as 2026-10-05. */
export const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** The start of a day of the two years (0 = the oldest), epoch milliseconds. */
export const dayStart = (midnight: number, day: number): number => midnight - (DAYS - day) * DAY_MILLIS

/** A random time of the day, mostly within business hours. */
export const businessTimeOf = (start: number, random: Random): number =>
  start + random.weighted(hours, hourWeights) * HOUR_MILLIS + random.int(0, HOUR_MILLIS - 1)

/** The time itself within working hours, otherwise a time soon after the next opening. */
export const workingTimeOf = (millis: number, random: Random): number => {
  const sinceMidnight = millis % DAY_MILLIS
  const start = millis - sinceMidnight
  if (sinceMidnight < 6 * HOUR_MILLIS) return start + 6 * HOUR_MILLIS + random.int(0, 50 * MINUTE_MILLIS)
  if (sinceMidnight > 17 * HOUR_MILLIS)
    return start + DAY_MILLIS + 6 * HOUR_MILLIS + random.int(0, 50 * MINUTE_MILLIS)
  return millis
}
