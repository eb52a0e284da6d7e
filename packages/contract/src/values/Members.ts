// Members that many records share: names, texts, tags, custom fields, lists (contract §1.3, §9).
import { Predicate, Schema } from "effect"
import { PositiveInt, Version } from "./Ids.ts"
import {
  ARRAY_MEMBERS_MAX,
  CUSTOM_FIELDS_BYTES_MAX,
  LONG_TEXT_POINTS_MAX,
  NAME_POINTS_MAX,
  SHORT_TEXT_POINTS_MAX
} from "../Limits.ts"
import { isOfLength, isVisible, storedAs, textOf } from "./Checks.ts"
import { distinct } from "./Distinct.ts"
import { composedText } from "./NormalForm.ts"
import { integerFrom } from "./Numbers.ts"

const SentShortText = Schema.String.check(isOfLength(1, SHORT_TEXT_POINTS_MAX, composedText), isVisible)
const SentExternalId = Schema.String.check(isOfLength(1, NAME_POINTS_MAX, composedText))
const composed = storedAs(composedText)

/** Names, titles, channels: 1 to 200 characters, at least one visible, stored in NFC. */
export const ShortText = composed(SentShortText)
/** Ids of other systems: 1 to 255 characters, stored in NFC. */
export const ExternalId = composed(SentExternalId)
/** The same in a path, with an example for the document. */
export const shortTextLike = (example: string) => composed(SentShortText.annotate({ examples: [example] }))
export const externalIdLike = (example: string) => composed(SentExternalId.annotate({ examples: [example] }))
/** Comments and descriptions: 1 to 10,000 characters, stored as sent. */
export const LongText = textOf(1, LONG_TEXT_POINTS_MAX)

/** The stored form of a login: NFC, without surrounding white space. */
export const storedLogin = (login: string): string => composedText(login).trim()
export const Login = Schema.String.check(isOfLength(1, SHORT_TEXT_POINTS_MAX, storedLogin), isVisible).pipe(
  storedAs(storedLogin)
)

/** An array of a request. */
export const listOf = <S extends Schema.Constraint>(item: S, maximum: number = ARRAY_MEMBERS_MAX) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` }))
export const Tags = distinct(ShortText)
export const IdList = distinct(PositiveInt)

/** An optional member that null empties, in a PATCH or PUT (contract §1.3). */
export const emptiable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The version that a compare-and-set requires; 0 if there must be none yet. */
export const RequiredVersion = integerFrom(0, Number.MAX_SAFE_INTEGER, "must be an integer of at least 0")

/** The version in the body of a PATCH, instead of `If-Match` (contract §7). */
export const expectedVersion = Schema.optionalKey(Version)

/**
 * A free JSON object, neither walked nor copied. The framework describes it as a value of any type, so OpenApiDocument recognizes
 * it by its identifier.
 */
export const AnyObject: Schema.Codec<Readonly<Record<string, unknown>>, unknown> = Schema.Unknown.pipe(
  Schema.refine(Predicate.isReadonlyObject, { message: "must be an object" })
).annotate({ identifier: "FreeObject" })

const encoder = new TextEncoder()

/** A free JSON object of limited size. */
export const objectOf = (bytesMax: number) =>
  AnyObject.check(
    Schema.makeFilter((value) => encoder.encode(JSON.stringify(value)).byteLength <= bytesMax, {
      message: `must be at most ${bytesMax} bytes of JSON`
    })
  ).annotate({ identifier: "SmallFreeObject" })

/** A free object of a request, measured as UTF-8 JSON. */
export const FreeObject = objectOf(CUSTOM_FIELDS_BYTES_MAX)
