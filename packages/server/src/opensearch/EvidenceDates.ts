// `dateWeight` of core as an OpenSearch query: scores appeals by their distance from a date in the question.
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import { DATE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import type { QueryDate } from "@rapport/core/search/text/Terms.ts"
import { yearDayOf } from "./EvidenceFields.ts"

type Clause = Readonly<Record<string, unknown>>

/** Adds to the score and filters nothing. */
export const dateQuery = (date: QueryDate): Clause => {
  const { day, month, year } = date
  if (month === null) return year === null ? { match_none: {} } : inYear(year)
  const near = (day === null ? DATE_WEIGHT.monthNearShare : 1) * DATE_WEIGHT.near
  if (year === null) {
    const from = yearDayOf(month, day ?? 1)
    const to = day === null ? yearDayOf(month + 1, 1) - 1 : from
    const sameMonth = { term: { month } }
    return sum([
      weightedClause(DATE_WEIGHT.month, sameMonth),
      ...(day === null
        ? []
        : [weightedClause(DATE_WEIGHT.day, { bool: { filter: [sameMonth, { term: { day } }] } })]),
      nearTo("yearDay", from, to, 1, near)
    ])
  }
  const monthFrom = Date.UTC(year, month - 1, 1)
  const monthTo = Date.UTC(year, month, 1)
  const from = day === null ? monthFrom : Date.UTC(year, month - 1, day)
  const to = day === null ? monthTo : from + DAY_MILLIS
  return sum([
    inYear(year),
    weightedClause(DATE_WEIGHT.month, within(monthFrom, monthTo)),
    ...(day === null ? [] : [weightedClause(DATE_WEIGHT.day, within(from, to))]),
    nearTo("createdAt", from, to - 1, DAY_MILLIS, near)
  ])
}

const inYear = (year: number): Clause =>
  weightedClause(DATE_WEIGHT.year, within(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)))
const within = (from: number, to: number): Clause => ({ range: { createdAt: { gte: from, lt: to } } })
const weightedClause = (boost: number, filter: Clause): Clause => ({ constant_score: { filter, boost } })
const sum = (should: ReadonlyArray<Clause>): Clause => ({ bool: { should } })

/** Decays exponentially outside the range: to 1/e at DATE_WEIGHT.nearDays. */
const nearTo = (field: string, from: number, to: number, dayUnits: number, boost: number): Clause => ({
  function_score: {
    query: { match_all: {} },
    exp: {
      [field]: {
        origin: (from + to) / 2,
        offset: (to - from) / 2,
        scale: DATE_WEIGHT.nearDays * dayUnits,
        decay: Math.exp(-1)
      }
    },
    boost_mode: "multiply",
    boost
  }
})
