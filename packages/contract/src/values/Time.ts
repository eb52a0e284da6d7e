// Times on the wire: ISO 8601 with offset in, UTC milliseconds and Z out; inside they are epoch milliseconds.
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

const shape =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/u
const message = "must be an ISO 8601 time with Z or an offset"
const firstMillis = Date.parse("0001-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** Epoch milliseconds of an ISO 8601 time with offset, or undefined where the text is none (30 February, no offset, …). */
export const millisOf = (text: string): number | undefined => {
  const parts = shape.exec(text)
  if (parts === null) return undefined
  const [, year, month, day] = parts
  if (Number(day) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate())
    return undefined
  const millis = Date.parse(text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/u, "$1:$2"))
  return millis >= firstMillis && millis <= lastMillis ? millis : undefined
}

/** `2026-10-05T10:00:00.000Z`. */
export const isoOf = (millis: number): string => new Date(millis).toISOString()

/** A time with an example of its own. */
export const timeWith = (example: string) =>
  Schema.String.annotate({
    format: "date-time",
    description: "ISO 8601 with Z or an offset; answers are UTC with milliseconds",
    examples: [example]
  }).pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transformEffect((text: string) => {
        const millis = millisOf(text)
        return millis === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message }))
          : Effect.succeed(millis)
      }),
      encode: SchemaGetter.transform(isoOf)
    })
  )

/** A time of a request or an answer (docs/contract.md §1, "Time"). */
export const Time = timeWith("2026-10-05T10:00:00.000Z")
export type Time = typeof Time.Type
