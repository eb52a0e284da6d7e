// What schemas check beyond their types: texts with bounds counted in Unicode code points, as a person counts characters (contract §1),
// and rules between the members of a body.
import { Schema, SchemaGetter } from "effect"
import type { Violation } from "../Errors.ts"
import { composedText } from "./NormalForm.ts"

/** Code points of a text; a surrogate pair is one. */
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
  // A code point is one unit or two: mostly the length decides, and long texts are not walked.
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

/** Decodes a text into the form in which it is stored. */
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

/** Judges a body as it was sent or as it was decoded: what is not of the expected shape is left to the schema. */
export type Rules = (body: Readonly<Record<string, unknown>>) => ReadonlyArray<Violation>

/**
 * The schema with its rules, whose faults are reported with those of its single members, so that a caller sees all at once: checked when its members are right, and readable by
 * `rulesOf` when they are not.
 */
export const withRules =
  (rules: Rules) =>
  <S extends Schema.Top & { readonly Type: Readonly<Record<string, unknown>> }>(schema: S): S["Rebuild"] =>
    schema
      .check(
        Schema.makeFilter<S["Type"]>(
          (body) => rules(body).map(({ message, path }) => ({ path: segmentsOf(path), issue: message })),
          // Without this the document would leave out what the schema is annotated with.
          { toJsonSchema: () => ({}) }
        )
      )
      .annotate({ rapportRules: rules })

/** The rules that a schema was given, or none. */
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
