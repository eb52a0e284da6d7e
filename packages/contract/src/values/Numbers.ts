// Numbers that a caller may choose within bounds: below the minimum is a fault of shape, above the maximum one of budget.
import { Schema, SchemaGetter } from "effect"
import type { Bounded } from "../Limits.ts"

/** Annotation of a check whose failure is QUERY_BUDGET_EXCEEDED instead of INVALID_REQUEST (contract §1, §3.1). */
export const overBudget = { rapportOverBudget: true } as const

/** Annotation of a text that is an integer in a path or query: the document shows its bounds (see OpenApiDocument). */
export const integerKey = "x-integer"

/** Annotation of a text that is a list of values separated by commas: the document shows the list. */
export const commaListKey = "x-comma-list"

/** Annotation of a schema that the document describes in other words. */
export const shownKey = "x-shown"

/** At most `maximum`; above it the request is QUERY_BUDGET_EXCEEDED. */
export const isWithinBudget = (maximum: number) =>
  Schema.makeFilter<number>((n) => n <= maximum, {
    ...overBudget,
    message: `must be at most ${maximum}`,
    toJsonSchema: () => ({ maximum })
  })

const atLeast = (minimum: number) =>
  Schema.makeFilter<number>((n) => n >= minimum && n <= Number.MAX_SAFE_INTEGER, {
    message: minimum === 1 ? "must be a positive integer" : `must be an integer of at least ${minimum}`,
    toJsonSchema: () => ({ minimum })
  })

const about = ({ default: usual, maximum }: Bounded) => ({
  default: usual,
  description: `at most ${maximum}`
})

/** A limit of a JSON body; absent means its default, which the reader of the request fills in. */
export const limitMember = (bounds: Bounded) => {
  const message =
    bounds.minimum <= 1 ? "must be a positive integer" : `must be an integer of at least ${bounds.minimum}`
  return Schema.Number.annotate({ message })
    .check(Schema.isInt({ message }), atLeast(bounds.minimum), isWithinBudget(bounds.maximum))
    .annotate(about(bounds))
}

/** A limit of a query string: plain ASCII digits. */
export const limitParameter = (bounds: Bounded) =>
  Schema.String.annotate({
    [integerKey]: { ...bounds },
    description: `${bounds.minimum} to ${bounds.maximum}, default ${bounds.default}`
  })
    .check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,15})$/u, { message: "must be an integer in plain digits" }))
    .pipe(
      Schema.decodeTo(Schema.Int.check(atLeast(bounds.minimum), isWithinBudget(bounds.maximum)), {
        decode: SchemaGetter.Number(),
        encode: SchemaGetter.String()
      })
    )
