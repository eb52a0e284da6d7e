// What a report of the statistics is asked with: a range, a time zone, how it is grouped, and the filters of its dialogues
// (docs/contract.md §9.3).
import { Schema } from "effect"
import { type Collection, listQuery } from "../lists/Collection.ts"
import { dateOrTime } from "../values/DateOrTime.ts"
import { TimeZoneName } from "../values/TimeZone.ts"

export const groupings = ["subject", "operator", "channel"] as const
export type Grouping = (typeof groupings)[number]
export const intervals = ["none", "hour", "day", "week", "month"] as const
export type Interval = (typeof intervals)[number]
export const formats = ["json", "csv"] as const

const oneOf = <const W extends ReadonlyArray<string>>(words: W) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })

const bound = "a date (its midnight) or an ISO 8601 time, without an offset UTC"
const range = {
  from: dateOrTime("2026-10-01", `The first moment: ${bound}`),
  to: dateOrTime("2026-11-01", `The moment after the last, by 366 days later at most: ${bound}`)
}
const shape = {
  timezone: Schema.optionalKey(
    TimeZoneName.annotate({
      description: "IANA name; hours, days, weeks and months begin by its clock; default UTC",
      examples: ["Europe/Kyiv"]
    })
  ),
  groupBy: Schema.optionalKey(oneOf(groupings)),
  interval: Schema.optionalKey(oneOf(intervals).annotate({ examples: ["day"] })),
  format: Schema.optionalKey(oneOf(formats))
}

type Parameters = ReturnType<typeof listQuery>
const filtersOf = (collection: Collection): Parameters =>
  Object.fromEntries(Object.entries(listQuery(collection)).filter(([name]) => name.startsWith("filter[")))

/** The parameters of a report about the dialogues of a list. */
export const reportQuery = (dialogues: Collection) => ({ ...range, ...shape, ...filtersOf(dialogues) })

/** Those of the list itself: a query of a report lists its dialogues as it stands. */
export const dialogueQuery = (dialogues: Collection) => ({ ...range, ...listQuery(dialogues), ...shape })
