// Defines each member of a row once, as SQL expression and schema: for the JSON of the statement and for its decoder. Ranges of
// times.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Schema } from "effect"
import { type Fragment, sql } from "./Fragment.ts"
import { columnName, isTime } from "./Columns.ts"
import { wireTime } from "./SqlTime.ts"

const SQL = "rapportSql"

/** A member with its SQL expression, which must not contain input. */
export const column = <S extends Schema.Top>(sql: string, schema: S): S["Rebuild"] =>
  schema.annotate({ [SQL]: sql })

/** `json_build_object` of the struct's columns. */
export const objectOf = ({ fields }: { readonly fields: Fields }): Fragment => {
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

/** A time in the form of the wire. */
export const timeColumn = (sql: string) => column(wireTime(sql), Schema.String)
export const timeOrNullColumn = (sql: string) => column(wireTime(sql), TextOrNull)

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
      : [[name, own[name] ?? storedColumn(`${table}.${columnName(name)}`, schema)] as const]
  )
  return Schema.Struct({ ...Object.fromEntries(members), ...own })
}

type Plain<S extends Schema.Constraint> = Schema.Codec<S["Encoded"]>
const storedColumn = (sql: string, schema: Schema.Constraint): Schema.Top => {
  const { ast } = Schema.toEncoded(schema)
  return column(isTime(ast) ? wireTime(sql) : sql, Schema.make<Schema.Top>(ast))
}

export const isoRange = ({ from, to }: { readonly from: number | null; readonly to: number | null }) => ({
  from: from === null ? null : isoOf(from),
  to: to === null ? null : isoOf(to)
})

/** `and …` for a half-open range of a column, with times in ISO 8601. Empty without bounds. */
export const inRange = (
  column: string,
  { from, to }: { readonly from: string | null; readonly to: string | null }
): Fragment => {
  const time = sql.literal(column)
  const least = from === null ? sql.literal("") : sql` and ${time} >= ${from}::timestamptz`
  const below = to === null ? sql.literal("") : sql` and ${time} < ${to}::timestamptz`
  return sql`${least}${below}`
}
