// A bound of a range in a query string: a time, a time without offset, or a date, the last two in UTC (docs/contract.md §1).
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { isoOf, millisOf } from "./Time.ts"

const message = "must be a date or an ISO 8601 time"

/** Epoch milliseconds of a time with offset, of one without, or of a date's midnight; undefined where the text is none. */
export const boundOf = (text: string): number | undefined =>
  millisOf(text) ?? millisOf(`${text}Z`) ?? millisOf(`${text}T00:00:00Z`)

/** Decodes to epoch milliseconds. */
export const dateOrTime = (example: string, description: string) =>
  Schema.String.annotate({ description, examples: [example] }).pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transformEffect((text: string) => {
        const millis = boundOf(text)
        return millis === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message }))
          : Effect.succeed(millis)
      }),
      encode: SchemaGetter.transform(isoOf)
    })
  )
