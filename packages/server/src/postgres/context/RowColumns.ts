// Columns of a row said once: the SQL expression and the schema of each member, from which the statement takes its JSON
// and the decoder its shape.
import { Schema, SchemaAST, SchemaGetter } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { columnName } from "../sql/Records.ts"
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

/**
 * The members that a pack shows, in its order: each from the column of its own name, but for those whose column is given and
 * for `citationIds`, which come with the pack. Then what else is given. So a new member that has a column is one edit of the contract.
 */
export function shownOf<F extends Schema.Struct.Fields, Own extends Schema.Struct.Fields>(
  table: string,
  shown: F,
  own: Own
): Schema.Struct<Own & { readonly [Name in Exclude<keyof F, keyof Own | "citationIds">]: Plain<F[Name]> }>
export function shownOf(
  table: string,
  shown: Schema.Struct.Fields,
  own: Schema.Struct.Fields
): Schema.Struct<Schema.Struct.Fields> {
  const members = Object.entries(shown).flatMap(([name, schema]) =>
    name === "citationIds"
      ? []
      : [[name, own[name] ?? column(`${table}.${columnName(name)}`, stored(schema))] as const]
  )
  return Schema.Struct({ ...Object.fromEntries(members), ...own })
}

/** A member as it is stored and shown. */
type Plain<S extends Schema.Constraint> = Schema.Codec<S["Encoded"]>
const stored = (schema: Schema.Constraint): Schema.Top => {
  const { ast } = Schema.toEncoded(schema)
  if (isTime(ast)) return WireTime
  return SchemaAST.isUnion(ast) && ast.types.some(isTime) ? WireTimeOrNull : Schema.make(ast)
}
/** What the contract's Time is on the wire. */
const isTime = (ast: SchemaAST.AST): boolean => ast.annotations?.["format"] === "date-time"
