// Transcripts: pages by cursor, without a total (contract §5, §7).
import { Schema } from "effect"
import { CURSOR_CHARACTERS_MAX, PageLimits } from "../Limits.ts"
import { textOf } from "../values/Checks.ts"
import { limitParameter } from "../values/Numbers.ts"

/** `around` returns a full page with that message in the middle. It cannot be combined with a cursor. */
export const pageQuery = <S extends Schema.Constraint>(around: S) =>
  Schema.Struct({
    limit: Schema.optionalKey(limitParameter(PageLimits, "Messages of a page")),
    cursor: Schema.optionalKey(textOf(1, CURSOR_CHARACTERS_MAX)),
    around: Schema.optionalKey(around),
    order: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
  })

/** A page of a transcript. `nextCursor` is null on the last page. */
export const pageOf = <S extends Schema.Constraint>(record: S) =>
  Schema.Struct({
    data: Schema.Array(record),
    limit: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.NullOr(Schema.String)
  })
