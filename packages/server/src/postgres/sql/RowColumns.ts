// Columns of a row said once: the SQL expression and the schema of each member, from which the statement takes its JSON and the decoder
// its shape; the range that a column of times lies in.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Schema, SchemaAST, SchemaGetter } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { columnName } from "./Records.ts"

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

/** A time as PostgreSQL writes it in JSON, as the wire shows it: mostly a matter of padding, the session's zone is UTC. */
const wireTime = (text: string): string =>
  text.length >= UTC_SECONDS && text.endsWith("+00:00") && text.length <= UTC_MILLIS
    ? `${text.slice(0, 19)}.${text.slice(20, -6).padEnd(3, "0")}Z`
    : isoOf(Date.parse(text))
const UTC_SECONDS = "2026-10-05T10:00:00+00:00".length
const UTC_MILLIS = "2026-10-05T10:00:00.000+00:00".length

const TIME = "rapportTime"

/** A time as the wire shows it. */
export const WireTime = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform(wireTime),
    encode: SchemaGetter.passthrough()
  })
).annotate({ [TIME]: true })
export const WireTimeOrNull = Schema.NullOr(WireTime)

/**
 * What the schema decodes of JSON that a statement made of the same columns: their names and types are right, so all that is
 * left to do are times, which are written where they stand.
 */
export const readingOf = <S extends Schema.Top>(schema: S): ((json: unknown) => S["Type"]) =>
  mendingOf(schema) ?? asIs

type Mending = (json: unknown) => unknown
const asIs: Mending = (json) => json

/** Null: nothing is left to do. */
const mendingOf = (schema: Schema.Top): Mending | null => {
  if (Schema.resolveAnnotations(schema)?.[TIME] === true) return (json) => wireTime(String(json))
  if (hasFields(schema)) return membersMended(schema.fields)
  if (hasMembers(schema)) {
    const [mending] = schema.members.flatMap((member) => mendingOf(member) ?? [])
    return mending === undefined ? null : (json) => (json === null ? null : mending(json))
  }
  if (!SchemaAST.isArrays(schema.ast) || !hasValue(schema)) return null
  const mending = mendingOf(schema.value)
  return mending === null ? null : (json) => (json as Array<unknown>).map(mending)
}

const membersMended = (fields: Fields): Mending | null => {
  const mendings = Object.entries(fields).flatMap(([name, schema]) => {
    const mending = mendingOf(schema)
    return mending === null ? [] : [{ name, mending }]
  })
  if (mendings.length === 0) return null
  return (json) => {
    const row = json as Record<string, unknown>
    for (const { mending, name } of mendings) row[name] = mending(row[name])
    return row
  }
}

const hasFields = (schema: object): schema is { readonly fields: Fields } => "fields" in schema
const hasMembers = (schema: object): schema is { readonly members: ReadonlyArray<Schema.Top> } =>
  "members" in schema
const hasValue = (schema: object): schema is { readonly value: Schema.Top } => "value" in schema

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

/** A range of epoch milliseconds in ISO 8601. */
export const isoRange = ({ from, to }: { readonly from: number | null; readonly to: number | null }) => ({
  from: from === null ? null : isoOf(from),
  to: to === null ? null : isoOf(to)
})

/** `and …` for a half-open range of a column, times in ISO 8601; nothing without bounds. */
export const inRange = (
  sql: SqlClient.SqlClient,
  column: string,
  { from, to }: { readonly from: string | null; readonly to: string | null }
): Statement.Fragment => {
  const time = sql.literal(column)
  const least = from === null ? sql.literal("") : sql` and ${time} >= ${from}::timestamptz`
  const below = to === null ? sql.literal("") : sql` and ${time} < ${to}::timestamptz`
  return sql`${least}${below}`
}
