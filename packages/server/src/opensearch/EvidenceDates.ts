// A date that a question names, as a query that weighs appeals by how near they lie to it: `dateWeight` of core for OpenSearch.
import type { QueryDate } from "@rapport/core/search/text/Dates.ts"
import { yearDayOf } from "./EvidenceFields.ts"

const YEAR_WEIGHT = 1
const MONTH_WEIGHT = 3
const DAY_WEIGHT = 4
const NEAR_WEIGHT = 4
const NEAR_DAYS = 4
// People speak of a day shortly before and after it, less so of a whole month.
const MONTH_NEAR_SHARE = 0.6
const DAY_MILLIS = 86_400_000

type Clause = Readonly<Record<string, unknown>>

/** Weighs; matches everything. */
export const dateQuery = (date: QueryDate): Clause => {
  const { day, month, year } = date
  if (month === null) return year === null ? { match_none: {} } : inYear(year)
  const near = (day === null ? MONTH_NEAR_SHARE : 1) * NEAR_WEIGHT
  if (year === null) {
    const from = yearDayOf(month, day ?? 1)
    const to = day === null ? yearDayOf(month + 1, 1) - 1 : from
    const sameMonth = { term: { month } }
    return sum([
      weighing(MONTH_WEIGHT, sameMonth),
      ...(day === null ? [] : [weighing(DAY_WEIGHT, { bool: { filter: [sameMonth, { term: { day } }] } })]),
      nearTo("yearDay", from, to, 1, near)
    ])
  }
  const monthFrom = Date.UTC(year, month - 1, 1)
  const monthTo = Date.UTC(year, month, 1)
  const from = day === null ? monthFrom : Date.UTC(year, month - 1, day)
  const to = day === null ? monthTo : from + DAY_MILLIS
  return sum([
    inYear(year),
    weighing(MONTH_WEIGHT, within(monthFrom, monthTo)),
    ...(day === null ? [] : [weighing(DAY_WEIGHT, within(from, to))]),
    nearTo("createdAt", from, to - 1, DAY_MILLIS, near)
  ])
}

const inYear = (year: number): Clause =>
  weighing(YEAR_WEIGHT, within(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)))
const within = (from: number, to: number): Clause => ({ range: { createdAt: { gte: from, lt: to } } })
const weighing = (boost: number, filter: Clause): Clause => ({ constant_score: { filter, boost } })
const sum = (should: ReadonlyArray<Clause>): Clause => ({ bool: { should } })

/** Falls from the ends of a range by the e-th part in NEAR_DAYS. */
const nearTo = (field: string, from: number, to: number, dayUnits: number, boost: number): Clause => ({
  function_score: {
    query: { match_all: {} },
    exp: {
      [field]: {
        origin: (from + to) / 2,
        offset: (to - from) / 2,
        scale: NEAR_DAYS * dayUnits,
        decay: Math.exp(-1)
      }
    },
    boost_mode: "multiply",
    boost
  }
})
