// Numbers with bounds: below the minimum is INVALID_REQUEST, above the maximum QUERY_BUDGET_EXCEEDED.
import { Schema, SchemaGetter } from "effect"
import type { NumericLimit } from "../Limits.ts"

/** Annotation of a check whose error is QUERY_BUDGET_EXCEEDED (contract §1, §3.1). */
export const overBudget = { rapportOverBudget: true } as const

/** Annotation of an integer in a path or query. OpenApiDocument shows it as an integer with bounds. */
export const integerKey = "x-integer"

/** Annotation of a list of values separated by commas. OpenApiDocument shows it as an array. */
export const commaListKey = "x-comma-list"

/** Annotation of a schema that OpenApiDocument describes differently. */
export const shownKey = "x-shown"

/** An integer of a JSON body, never coerced. */
export const integerFrom = (
  minimum: number,
  maximum: number,
  message = `must be an integer from ${minimum} to ${maximum}`
) =>
  Schema.Number.annotate({ message }).check(
    Schema.isInt({ message }),
    Schema.isBetween({ minimum, maximum }, { message })
  )

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

/** A limit in a JSON body. The use case fills in the default. */
export const limitMember = (bounds: NumericLimit, meaning: string) => {
  const message =
    bounds.minimum <= 1 ? "must be a positive integer" : `must be an integer of at least ${bounds.minimum}`
  return Schema.Number.annotate({ message })
    .check(Schema.isInt({ message }), atLeast(bounds.minimum), isWithinBudget(bounds.maximum))
    .annotate({ default: bounds.default, description: `${meaning}, at most ${bounds.maximum}` })
}

/** A limit in a query string, in ASCII digits. */
export const limitParameter = (bounds: NumericLimit, meaning: string) =>
  Schema.String.annotate({
    [integerKey]: { ...bounds },
    description: `${meaning}, ${bounds.minimum} to ${bounds.maximum}, default ${bounds.default}`
  })
    .check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,15})$/u, { message: "must be an integer written in digits" }))
    .pipe(
      Schema.decodeTo(Schema.Int.check(atLeast(bounds.minimum), isWithinBudget(bounds.maximum)), {
        decode: SchemaGetter.Number(),
        encode: SchemaGetter.String()
      })
    )
