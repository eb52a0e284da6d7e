// The query of a report: range, time zone, grouping, and filters of its dialogues (contract §9.3).
import { Schema } from "effect"
import { listQuery } from "../lists/Collection.ts"
import { TimeZone } from "../values/Formats.ts"
import { rangeMillisOf } from "../values/Time.ts"
import { csatAnswers } from "./Csat.ts"
import { dialogueKinds, dialogues } from "./Dialogue.ts"

export const groupings = ["subject", "operator", "channel", "priority"] as const
export type Grouping = (typeof groupings)[number]
export const intervals = ["none", "hour", "day", "week", "month"] as const
export type Interval = (typeof intervals)[number]
export const formats = ["json", "csv"] as const

const oneOf = <const W extends ReadonlyArray<string>>(words: W) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })

/** A time or date as sent: a date begins with its day in the time zone of the report. */
const edgeWith = (example: string) =>
  Schema.String.annotate({
    description: "ISO 8601. A date is the start of its day in `timezone`; a time without offset is UTC",
    examples: [example]
  }).check(
    Schema.makeFilter<string>((text) => rangeMillisOf(text) !== undefined, {
      message: "must be an ISO 8601 time or a date",
      toJsonSchema: () => ({})
    })
  )

/** `to` is exclusive, and at most 366 days after `from`. */
const range = { from: edgeWith("2026-10-01"), to: edgeWith("2026-11-01") }
const kind = Schema.optionalKey(
  oneOf(dialogueKinds).annotate({ description: "What is counted. Default chat", examples: ["ticket"] })
)
const shape = {
  timezone: Schema.optionalKey(
    TimeZone.annotate({
      description: "IANA name of the time zone of dates, hours, days, weeks and months. Default UTC",
      examples: ["Europe/Kyiv"]
    })
  ),
  groupBy: Schema.optionalKey(oneOf(groupings)),
  interval: Schema.optionalKey(oneOf(intervals).annotate({ examples: ["day"] })),
  format: Schema.optionalKey(oneOf(formats))
}

const isFilter = (name: string): boolean => name.startsWith("filter[")

/** The parameters of a report about dialogues. */
export const reportQuery = { ...range, kind, ...shape, ...listQuery(dialogues, isFilter) }

/** The parameters of a report about answers, whose kind is a filter. */
export const answersQuery = { ...range, ...shape, ...listQuery(csatAnswers, isFilter) }

/** The parameters of the list of dialogues, which takes the query of a report unchanged. */
export const dialogueQuery = { ...range, ...listQuery(dialogues), kind, ...shape }
