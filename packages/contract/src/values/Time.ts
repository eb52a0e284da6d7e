// Times: ISO 8601 in requests, UTC with milliseconds in answers, epoch milliseconds in the program.
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

const shape =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/u
const firstMillis = Date.parse("0001-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** 24 hours. */
export const DAY_MILLIS = 86_400_000

/** Epoch milliseconds of an ISO 8601 time with offset, undefined if the text is not one (30 February, no offset, …). */
export const millisOf = (text: string): number | undefined => {
  const parts = shape.exec(text)
  if (parts === null) return undefined
  const [, year, month, day] = parts
  if (Number(day) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate())
    return undefined
  const millis = Date.parse(text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/u, "$1:$2"))
  return millis >= firstMillis && millis <= lastMillis ? millis : undefined
}

/** The same for a range or query string, where a date is its midnight and a time without offset is UTC. */
export const rangeMillisOf = (text: string): number | undefined =>
  millisOf(
    /^\d{4}-\d\d-\d\d$/u.test(text) ? `${text}T00:00:00Z` : withoutOffset.test(text) ? `${text}Z` : text
  )
const withoutOffset = /^\d{4}-\d\d-\d\d[Tt][\d:.]+$/u

/** `2026-10-05T10:00:00.000Z`. */
export const isoOf = (millis: number): string => new Date(millis).toISOString()

const timeRead = (
  read: (text: string) => number | undefined,
  message: string,
  annotations: {
    readonly format?: string
    readonly description: string
    readonly examples: readonly [string]
  }
) =>
  Schema.String.annotate(annotations).pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transformEffect((text: string) => {
        const millis = read(text)
        return millis === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message }))
          : Effect.succeed(millis)
      }),
      encode: SchemaGetter.transform(isoOf)
    })
  )

/** A time of a request or an answer (contract §1, "Time"). */
export const Time = timeRead(millisOf, "must be an ISO 8601 time with Z or an offset", {
  format: "date-time",
  description: "ISO 8601 with Z or an offset. Answers are UTC with milliseconds",
  examples: ["2026-10-05T10:00:00.000Z"]
})
export type Time = typeof Time.Type

/** A time in a query string, or in `from` and `to`, with an example and its meaning. */
export const rangeTimeWith = (example: string, meaning = "") =>
  timeRead(rangeMillisOf, "must be an ISO 8601 time or a date", {
    description: `${meaning}ISO 8601. A date is its midnight; a time without offset is UTC`,
    examples: [example]
  })
export const RangeTime = rangeTimeWith("2026-10-05T10:00:00Z")
