// Checks of schemas: lengths in Unicode code points (contract §1), and rules between the members of a body.
import { Predicate, Schema, SchemaGetter } from "effect"
import type { Violation } from "../Errors.ts"
import { composedText } from "./NormalForm.ts"

/** The number of code points of a text. */
export const pointsOf = (text: string): number => {
  let points = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      points--
      i++
    }
  }
  return points
}

const hasLength = (text: string, minimum: number, maximum: number): boolean => {
  if (text.length < minimum || text.length > 2 * maximum) return false
  // A code point has one or two units, so the length usually decides without counting.
  if (text.length >= 2 * minimum - 1 && text.length <= maximum) return true
  const points = pointsOf(text)
  return points >= minimum && points <= maximum
}

/** Checks a length of `minimum` to `maximum` code points of the text as it is stored. */
export const isOfLength = (
  minimum: number,
  maximum: number,
  stored: (text: string) => string = (text) => text
) =>
  Schema.makeFilter<string>((text) => hasLength(stored(text), minimum, maximum), {
    message: `must have ${minimum} to ${maximum} characters`,
    toJsonSchema: () => ({ minLength: minimum, maxLength: maximum })
  })

/** A text of `minimum` to `maximum` code points, stored as sent. */
export const textOf = (minimum: number, maximum: number) => Schema.String.check(isOfLength(minimum, maximum))

const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** False for white space and invisible characters only. */
export const isVisibleText = (text: string): boolean => VISIBLE.test(text)

export const isVisible = Schema.makeFilter<string>(isVisibleText, {
  message: "must not be white space only",
  toJsonSchema: () => ({ pattern: "\\S" })
})

/** Decodes a text into its stored form. */
export const storedAs =
  (stored: (text: string) => string) =>
  <S extends Schema.Codec<string, string>>(sent: S) =>
    sent.pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transform(stored),
        encode: SchemaGetter.passthrough()
      })
    )

/** The same as `textOf`, stored in normal form C: ids, names and values that must be unique. */
export const normalTextOf = (minimum: number, maximum: number) =>
  Schema.String.check(isOfLength(minimum, maximum, composedText)).pipe(storedAs(composedText))

/** Checks a body before or after decoding. Wrong types are left to the schema. */
export type Rules = (body: Readonly<Record<string, unknown>>) => ReadonlyArray<Violation>

/**
 * Adds rules between members to a schema. They are checked when the members are valid; otherwise `rulesOf` gives them, so that
 * one answer has all faults.
 */
export const withRules =
  (rules: Rules) =>
  <S extends Schema.Top & { readonly Type: Readonly<Record<string, unknown>> }>(schema: S): S["Rebuild"] =>
    schema
      .check(
        Schema.makeFilter<S["Type"]>(
          (body) => rules(body).map(({ message, path }) => ({ path: segmentsOf(path), issue: message })),
          // Without this the document would omit the annotations of the schema. Rules may require one of several optional members.
          { toJsonSchema: () => (rules({}).length === 0 ? {} : { minProperties: 1 }) }
        )
      )
      .annotate({ rapportRules: rules })

/**
 * A violation for each item of a list that repeats the key of an earlier item, at `list[2].member`. An item whose key is undefined repeats
 * none.
 */
export const repetitionsIn = (
  body: Readonly<Record<string, unknown>>,
  list: string,
  member: string,
  message: string,
  keyOf: (item: Readonly<Record<string, unknown>>) => unknown = (item) => item[member]
): ReadonlyArray<Violation> => {
  const items = body[list]
  const seen = new Set<unknown>()
  return (Array.isArray(items) ? items : []).flatMap((item: unknown, i) => {
    const key = Predicate.isReadonlyObject(item) ? keyOf(item) : undefined
    const isRepeated = seen.has(key)
    if (key !== undefined) seen.add(key)
    return isRepeated ? [{ path: `${list}[${i}]${member === "" ? "" : `.${member}`}`, message }] : []
  })
}

/** The rules of a schema. */
export const rulesOf = (schema: Schema.Top): Rules => {
  const rules: unknown = Schema.resolveAnnotations(schema)?.["rapportRules"]
  return isRules(rules) ? rules : () => []
}

const isRules = (u: unknown): u is Rules => typeof u === "function"

/** `sections[1]` → `["sections", 1]`. */
const segmentsOf = (path: string): ReadonlyArray<PropertyKey> =>
  [...path.matchAll(/\[(\d+)\]|[^.[\]]+/gu)].map(([segment, index]) =>
    index === undefined ? segment : Number(index)
  )
