// Identifiers in bodies and in paths: positive integers and UUIDs (contract §1).
import { Schema, SchemaGetter } from "effect"
import { integerKey } from "./Numbers.ts"

const positiveInteger = { message: "must be a positive integer" }

/** An id in a JSON body: an integer in 1…2^53−1, never coerced. */
export const PositiveInt = Schema.Number.annotate(positiveInteger).check(
  Schema.isInt(positiveInteger),
  Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, positiveInteger)
)

const idText = (example?: number) =>
  Schema.String.annotate({
    [integerKey]: {
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      ...(example === undefined ? {} : { examples: [example] })
    }
  })
    .check(Schema.isPattern(/^[1-9][0-9]{0,15}$/u, positiveInteger))
    .pipe(Schema.decodeTo(PositiveInt, { decode: SchemaGetter.Number(), encode: SchemaGetter.String() }))

/** An id in a path or query string: plain ASCII digits, no sign, no leading zero. */
export const PositiveId = idText()

/** The same in a path, with the example that the interactive documentation fills in. */
export const pathId = (example: number): typeof PositiveId => idText(example)

const uuid = { message: "must be a UUID" }

/** A UUID of a request, in either case; decoded to lower case. */
export const Uuid = Schema.String.annotate({
  format: "uuid",
  examples: ["01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"]
})
  .check(
    Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, uuid)
  )
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
      encode: SchemaGetter.passthrough()
    })
  )

/** An id that the service makes: UUIDv7, in lower case. */
export const UuidV7 = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u, uuid)
).annotate({ format: "uuid" })
