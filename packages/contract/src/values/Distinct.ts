// Arrays of distinct values: tags, ids, roles, permissions, options, filter values (contract §1.3).
import { Schema, SchemaGetter } from "effect"
import { ARRAY_MEMBERS_MAX } from "../Limits.ts"

type Scalar = string | number | boolean

/** Keeps the first of equal values. */
export const distinctOf = <A extends Scalar>(values: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Set(values)
]

interface Bounds {
  /** The message for an empty array. Without it the array may be empty. */
  readonly ifEmpty?: string
  readonly maximum?: number
  /** The name of the items in messages. */
  readonly noun?: string
  readonly description?: string
}

/** Decodes an array to its distinct values. The bounds count distinct values. */
export const distinct = <A extends Scalar, I>(
  item: Schema.Codec<A, I>,
  { description, ifEmpty, maximum = ARRAY_MEMBERS_MAX, noun = "items" }: Bounds = {}
) =>
  Schema.Array(item)
    .annotate(description === undefined ? {} : { description })
    // For the document. The bounds are checked below, on the distinct values.
    .check(
      Schema.makeFilter<ReadonlyArray<A>>(() => true, {
        toJsonSchema: () => ({ ...(ifEmpty === undefined ? {} : { minItems: 1 }), maxItems: maximum })
      })
    )
    .pipe(
      Schema.decodeTo(
        Schema.Array(Schema.toType(item)).check(
          Schema.isMaxLength(maximum, { message: `must have at most ${maximum} ${noun}` }),
          Schema.isMinLength(ifEmpty === undefined ? 0 : 1, { message: ifEmpty ?? "" })
        ),
        {
          decode: SchemaGetter.transform((values: ReadonlyArray<A>) => distinctOf(values)),
          encode: SchemaGetter.passthrough()
        }
      )
    )
