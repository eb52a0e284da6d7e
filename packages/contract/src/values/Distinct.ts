// Arrays of distinct values: tags, ids, roles, permissions, options, filter values (contract §1.3).
import { Schema, SchemaGetter } from "effect"
import { ARRAY_MEMBERS_MAX } from "../Limits.ts"

type Scalar = string | number | boolean

/** Keeps the first of equal values. */
export const distinctOf = <A extends Scalar>(values: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Set(values)
]

interface Bounds {
  readonly minimum?: { readonly count: number; readonly message: string }
  readonly maximum?: { readonly count: number; readonly message: string }
  readonly description?: string
}

const DefaultMaximum = {
  count: ARRAY_MEMBERS_MAX,
  message: `must have at most ${ARRAY_MEMBERS_MAX} items`
}

/** Decodes an array to its distinct values. The bounds count distinct values. */
export const distinct = <A extends Scalar, I>(
  item: Schema.Codec<A, I>,
  { description, maximum = DefaultMaximum, minimum = { count: 0, message: "" } }: Bounds = {}
) =>
  Schema.Array(item)
    .annotate(description === undefined ? {} : { description })
    // For the document. The bounds are checked below, on the distinct values.
    .check(
      Schema.makeFilter<ReadonlyArray<A>>(() => true, {
        toJsonSchema: () => ({
          ...(minimum.count > 0 ? { minItems: minimum.count } : {}),
          maxItems: maximum.count
        })
      })
    )
    .pipe(
      Schema.decodeTo(
        Schema.Array(Schema.toType(item)).check(
          Schema.isMaxLength(maximum.count, { message: maximum.message }),
          Schema.isMinLength(minimum.count, { message: minimum.message })
        ),
        {
          decode: SchemaGetter.transform((values: ReadonlyArray<A>) => distinctOf(values)),
          encode: SchemaGetter.passthrough()
        }
      )
    )
