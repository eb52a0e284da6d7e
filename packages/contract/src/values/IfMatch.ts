// The header If-Match with the ETag of a record (contract §7, §9).
import { Schema, SchemaGetter } from "effect"
import { PositiveInt } from "./Ids.ts"

const message = 'must be the ETag of a record, such as "3"'

const IfMatch = Schema.String.annotate({
  description: "The ETag of the record, instead of expectedVersion",
  examples: ['"3"']
})
  .check(Schema.isPattern(/^"[1-9][0-9]{0,15}"$/u, { message }))
  .pipe(
    Schema.decodeTo(PositiveInt, {
      decode: SchemaGetter.transform((header: string) => Number(header.slice(1, -1))),
      encode: SchemaGetter.transform((version: number) => `"${version}"`)
    })
  )

/** The header of a PATCH. A different `expectedVersion` in the body is INVALID_REQUEST. */
export const ifMatchHeaders = { "if-match": Schema.optionalKey(IfMatch) }
