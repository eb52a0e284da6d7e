// Identifiers as they stand in bodies and in paths: positive integers and UUIDs (docs/contract.md §1).
import { Schema, SchemaGetter } from "effect"

const positiveInteger = { message: "must be a positive integer" }

/** An id in a JSON body: an integer in 1…2^53−1, never coerced. */
export const PositiveInt = Schema.Int.annotate(positiveInteger).check(
  Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, positiveInteger)
)

/** An id in a path or query string: plain ASCII digits, no sign, no leading zero. */
export const PositiveId = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,15}$/u, positiveInteger)).pipe(
  Schema.decodeTo(PositiveInt, { decode: SchemaGetter.Number(), encode: SchemaGetter.String() })
)

const uuid = { message: "must be a UUID" }

/** A UUID of a request, in either case; decoded to lower case. */
export const Uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, uuid)
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
    encode: SchemaGetter.passthrough()
  })
)

/** An id that the service makes: UUIDv7, in lower case. */
export const UuidV7 = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u, uuid)
).annotate({ format: "uuid" })
