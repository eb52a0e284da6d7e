// Columns of a row said once: the SQL expression and the schema of each member, from which the statement takes its JSON
// and the decoder its shape.
import { Schema, SchemaGetter } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { wireTime } from "./ContextScope.ts"

const SQL = "rapportSql"

/** A member that the expression gives; the expression is part of the statement's text, so it is never made of input. */
export const column = <S extends Schema.Top>(sql: string, schema: S): S["Rebuild"] =>
  schema.annotate({ [SQL]: sql })

/** `json_build_object` of the struct's columns. */
export const objectOf = (
  sql: SqlClient.SqlClient,
  { fields }: { readonly fields: Fields }
): Statement.Fragment => {
  const text = objects.get(fields) ?? objectText(fields)
  objects.set(fields, text)
  return sql.literal(text)
}

type Fields = Readonly<Record<string, Schema.Top>>
const objects = new WeakMap<Fields, string>()

const objectText = (fields: Fields): string => {
  const members = Object.entries(fields).flatMap(([name, schema]) => {
    const expression = Schema.resolveAnnotations(schema)?.[SQL]
    return typeof expression === "string" ? [`'${name}', ${expression}`] : []
  })
  return `json_build_object(${members.join(", ")})`
}

export const Id = Schema.Int
export const Text = Schema.String
export const TextOrNull = Schema.NullOr(Schema.String)
export const IdOrNull = Schema.NullOr(Schema.Int)

/** A time as the wire shows it. */
export const WireTime = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform(wireTime),
    encode: SchemaGetter.passthrough()
  })
)
export const WireTimeOrNull = Schema.NullOr(WireTime)
