// The envelope of a transcript: pages by cursor, without a total (contract §5, §7).
import { Schema } from "effect"

/** A page of a transcript. `nextCursor` is null on the last page. */
export const pageOf = <S extends Schema.Constraint>(record: S) =>
  Schema.Struct({
    data: Schema.Array(record),
    limit: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.NullOr(Schema.String)
  })
