// Defines each member of a row once, as SQL expression and schema: for the JSON of the statement and for its decoder. Ranges of
// times.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Schema, SchemaAST, SchemaGetter } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { columnName, isTime } from "./Columns.ts"

const SQL = "rapportSql"

/** A member with its SQL expression, which must not contain input. */
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

/** Converts a time of PostgreSQL's JSON to that of the wire. The session uses UTC, so mostly padding differs. */
const wireTime = (text: string): string =>
  text.length >= UTC_SECONDS && text.endsWith("+00:00") && text.length <= UTC_MILLIS
    ? `${text.slice(0, 19)}.${text.slice(20, -6).padEnd(3, "0")}Z`
    : isoOf(Date.parse(text))
const UTC_SECONDS = "2026-10-05T10:00:00+00:00".length
const UTC_MILLIS = "2026-10-05T10:00:00.000+00:00".length

const TIME = "rapportTime"

export const WireTime = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform(wireTime),
    encode: SchemaGetter.passthrough()
  })
).annotate({ [TIME]: true })
export const WireTimeOrNull = Schema.NullOr(WireTime)

/**
 * Decodes JSON that a statement built from the same columns. Names and types are right by construction, so it only converts times, in
 * place.
 */
export const readingOf = <S extends Schema.Top>(schema: S): ((json: unknown) => S["Type"]) =>
  timeConversionOf(schema) ?? asIs

type TimeConversion = (json: unknown) => unknown
const asIs: TimeConversion = (json) => json

/** Null: the schema contains no time. */
const timeConversionOf = (schema: Schema.Top): TimeConversion | null => {
  if (Schema.resolveAnnotations(schema)?.[TIME] === true) return (json) => wireTime(String(json))
  if (hasFields(schema)) return membersMended(schema.fields)
  if (hasMembers(schema)) {
    const [mending] = schema.members.flatMap((member) => timeConversionOf(member) ?? [])
    return mending === undefined ? null : (json) => (json === null ? null : mending(json))
  }
  if (!SchemaAST.isArrays(schema.ast) || !hasValue(schema)) return null
  const mending = timeConversionOf(schema.value)
  return mending === null ? null : (json) => (json as Array<unknown>).map(mending)
}

const membersMended = (fields: Fields): TimeConversion | null => {
  const mendings = Object.entries(fields).flatMap(([name, schema]) => {
    const mending = timeConversionOf(schema)
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
 * The members of an item of a pack, in its order, each from the column of its name, except those with a given column and `citationIds`,
 * which come with the pack. A new member with a column needs only an edit of the contract.
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

type Plain<S extends Schema.Constraint> = Schema.Codec<S["Encoded"]>
const stored = (schema: Schema.Constraint): Schema.Top => {
  const { ast } = Schema.toEncoded(schema)
  if (!isTime(ast)) return Schema.make(ast)
  return SchemaAST.isUnion(ast) ? WireTimeOrNull : WireTime
}

export const isoRange = ({ from, to }: { readonly from: number | null; readonly to: number | null }) => ({
  from: from === null ? null : isoOf(from),
  to: to === null ? null : isoOf(to)
})

/** `and …` for a half-open range of a column, with times in ISO 8601. Empty without bounds. */
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
