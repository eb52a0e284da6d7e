// Rules between the members of a body: reported with the faults of its single members, so that a caller sees all at once.
import { Schema } from "effect"
import type { Violation } from "../Errors.ts"

/** Judges a body as it was sent or as it was decoded: what is not of the expected shape is left to the schema. */
export type Rules = (body: Readonly<Record<string, unknown>>) => ReadonlyArray<Violation>

/** The schema with its rules: checked when its members are right, and readable by `rulesOf` when they are not. */
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
