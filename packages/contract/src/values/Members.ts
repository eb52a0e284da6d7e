// Members that many records share, each with its bound: names, texts, tags, custom fields, lists (docs/contract.md §1.3, §9).
import { Predicate, Schema } from "effect"
import { PositiveInt } from "./Ids.ts"
import {
  ARRAY_MEMBERS_MAX,
  CUSTOM_FIELDS_BYTES_MAX,
  LONG_TEXT_POINTS_MAX,
  NAME_POINTS_MAX,
  SHORT_TEXT_POINTS_MAX
} from "../Limits.ts"
import { textOf } from "./Checks.ts"

/** Names, titles, channels, addresses: 1 to 200 characters. */
export const ShortText = textOf(1, SHORT_TEXT_POINTS_MAX)
/** Comments and descriptions: 1 to 10,000 characters. */
export const LongText = textOf(1, LONG_TEXT_POINTS_MAX)
/** Ids of other systems: 1 to 255 characters. */
export const ExternalId = textOf(1, NAME_POINTS_MAX)

/** An array of a request. */
export const listOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(
    Schema.isMaxLength(ARRAY_MEMBERS_MAX, { message: `must have at most ${ARRAY_MEMBERS_MAX} members` })
  )
export const Tags = listOf(ShortText)
export const IdList = listOf(PositiveInt)

const encoder = new TextEncoder()

/** What a PATCH of a record with a version may carry instead of `If-Match` (docs/contract.md §7). */
export const expectedVersion = Schema.optionalKey(PositiveInt)

/**
 * A free JSON object kept as it was read: no member is walked or copied, whatever its name. The framework describes what
 * is not walked as anything, so the document says by the identifier that it is an object (see OpenApiDocument).
 */
export const AnyObject: Schema.Codec<Readonly<Record<string, unknown>>, unknown> = Schema.Unknown.pipe(
  Schema.refine(Predicate.isReadonlyObject, { message: "must be an object" })
).annotate({ identifier: "FreeObject", description: "An object with any members" })

/** A free JSON object of at most so many bytes of UTF-8 JSON. */
export const objectOf = (bytesMax: number) =>
  AnyObject.check(
    Schema.makeFilter((value) => encoder.encode(JSON.stringify(value)).byteLength <= bytesMax, {
      message: `must be at most ${bytesMax} bytes of JSON`
    })
  ).annotate({
    identifier: `FreeObjectOf${bytesMax}Bytes`,
    description: `An object with any members, at most ${bytesMax} bytes of JSON`
  })

/** A free object of a request, measured as UTF-8 JSON. */
export const FreeObject = objectOf(CUSTOM_FIELDS_BYTES_MAX)
