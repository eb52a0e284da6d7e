// Dates that a query names, in words or digits, and how near a time lies to them.
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import { DATE_WEIGHT } from "../ranking/RankingWeights.ts"
import { fold } from "./Words.ts"

/** What was said of a date; a year may be alone, a day is never without its month. */
export interface QueryDate {
  readonly year: number | null
  /** 1–12. */
  readonly month: number | null
  readonly day: number | null
}

const names: ReadonlyArray<string> = [
  "january jan січень січня січні январь января январе",
  "february feb лютий лютого лютому февраль февраля феврале",
  "march mar березень березня березні март марта марте",
  "april apr квітень квітня квітні апрель апреля апреле",
  "may травень травня травні май мая мае",
  "june jun червень червня червні июнь июня июне",
  "july jul липень липня липні июль июля июле",
  "august aug серпень серпня серпні август августа августе",
  "september sep sept вересень вересня вересні сентябрь сентября сентябре",
  "october oct жовтень жовтня жовтні октябрь октября октябре",
  "november nov листопад листопада листопаді ноябрь ноября ноябре",
  "december dec грудень грудня грудні декабрь декабря декабре"
]
const months = new Map(
  names.flatMap((line, at) => line.split(" ").map((name) => [fold(name), at + 1] as const))
)
// May asks and March walks: they are months beside a day, a year or a word of time alone.
const doubtful = new Set(["may", "mar", "march", "sep", "dec", "jan", "мая"])
const leads = new Set([
  "in",
  "of",
  "last",
  "this",
  "since",
  "until",
  "during",
  "before",
  "after",
  "by",
  "early",
  "late"
])

const TOKEN = /[\p{L}\p{N}\p{M}]+/gu
const NUMERIC =
  /(?<!\d)(?:((?:19|20)\d\d)[-./](\d{1,2})(?:[-./](\d{1,2}))?|(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d))(?!\d)/gu

const yearOf = (token: string | undefined): number | null =>
  token !== undefined && /^(?:19|20)\d\d$/u.test(token) ? Number(token) : null

const dayOf = (token: string | undefined): number | null => {
  const digits = token === undefined ? null : /^(\d{1,2})(?:st|nd|rd|th|го)?$/u.exec(token)
  const day = Number(digits?.[1] ?? 0)
  return day >= 1 && day <= 31 ? day : null
}

/** The dates of a query in their order; at most one for each month name, number group or lone year. */
export const datesOf = (query: string): ReadonlyArray<QueryDate> => {
  const found: Array<QueryDate> = []
  const rest = query.replace(NUMERIC, (_, y1, m1, d1, d2, m2, y2) => {
    const month = Number(m1 ?? m2)
    if (month >= 1 && month <= 12) {
      found.push({ year: Number(y1 ?? y2), month, day: dayOf(d1 ?? d2) })
    }
    return " "
  })
  const tokens = [...rest.matchAll(TOKEN)].map((match) => fold(match[0]))
  const spent = new Set<number>()
  tokens.forEach((token, at) => {
    const month = months.get(token)
    if (month === undefined) return
    const before = tokens[at - 1] === "of" || tokens[at - 1] === "го" ? at - 2 : at - 1
    const dayBefore = dayOf(tokens[before])
    const day = dayBefore ?? dayOf(tokens[at + 1])
    const yearAt = [at + 1, at + 2, at - 1].find((i) => yearOf(tokens[i]) !== null)
    const year = yearAt === undefined ? null : yearOf(tokens[yearAt])
    if (doubtful.has(token) && day === null && year === null && !leads.has(tokens[at - 1] ?? "")) return
    if (yearAt !== undefined) spent.add(yearAt)
    found.push({ year, month, day })
  })
  tokens.forEach((token, at) => {
    const year = spent.has(at) ? null : yearOf(token)
    if (year !== null) found.push({ year, month: null, day: null })
  })
  return found
}

/** How well a time fits the dates named: 0 when none was, or none fits; at most DATE_WEIGHT_MAX. */
export const dateWeight = (dates: ReadonlyArray<QueryDate>, at: number): number => {
  let best = 0
  for (const date of dates) best = Math.max(best, weightOf(date, at))
  return best
}

/** The most that a date can add to the score of an appeal. */
export const DATE_WEIGHT_MAX = DATE_WEIGHT.year + DATE_WEIGHT.month + DATE_WEIGHT.day + DATE_WEIGHT.near

const weightOf = (date: QueryDate, at: number): number => {
  const own = new Date(at)
  const sameYear = date.year === own.getUTCFullYear()
  if (date.month === null) return sameYear ? DATE_WEIGHT.year : 0
  const year = date.year ?? own.getUTCFullYear()
  const sameMonth = year === own.getUTCFullYear() && date.month === own.getUTCMonth() + 1
  const from = Date.UTC(year, date.month - 1, date.day ?? 1)
  const to = date.day === null ? Date.UTC(year, date.month, 1) : from + DAY_MILLIS
  const away = at < from ? from - at : at >= to ? at - to : 0
  const share = date.day === null ? DATE_WEIGHT.monthNearShare : 1
  const near = share * DATE_WEIGHT.near * Math.exp(-away / (DATE_WEIGHT.nearDays * DAY_MILLIS))
  return (
    (sameYear ? DATE_WEIGHT.year : 0) +
    (sameMonth ? DATE_WEIGHT.month : 0) +
    (sameMonth && date.day === own.getUTCDate() ? DATE_WEIGHT.day : 0) +
    near
  )
}
