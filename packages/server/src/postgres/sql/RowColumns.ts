// Columns of a row said once: the SQL expression and the schema of each member, from which the statement takes its JSON and the decoder
// its shape; the range that a column of times lies in, and the part that is read of a column of long texts.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Schema, SchemaAST, SchemaGetter } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { columnName } from "./Records.ts"
import type { Bound } from "./Query.ts"
import { TEXT_LETTERS } from "@rapport/core/search/text/Sought.ts"

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
export const wireTime = (text: string): string =>
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
  { from, to }: { readonly from: Bound<string> | null; readonly to: Bound<string> | null }
): Statement.Fragment => {
  const time = sql.literal(column)
  const least = from === null ? sql.literal("") : sql` and ${time} >= ${from}::timestamptz`
  const below = to === null ? sql.literal("") : sql` and ${time} < ${to}::timestamptz`
  return sql`${least}${below}`
}

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

interface TextWindow {
  /** Code points that are read of a longer text. */
  readonly points: number
  /** Code points before the match, where the beginning of the text does not hold it. */
  readonly lead: number
  /** From `Sought`; none: the beginning of the text. */
  readonly starts: ReadonlyArray<string>
}

/**
 * The part that is read of a text, to be joined laterally: the text, of a longer one its beginning, or the part around the
 * words sought where they are further on. Columns text, cut_before and cut_after: whether the text goes on there.
 */
export const textWindow = (sql: Sql, text: string, { lead, points, starts }: TextWindow): Fragment => {
  const whole = sql.literal(text)
  // `offset 0` keeps PostgreSQL from computing the place again wherever it is used.
  const from =
    starts.length === 0
      ? sql.literal("select 1 as at")
      : sql`select case when ${isLonger(sql, text, points)} then (
          select case when met.at > ${points - lead}::int4 then met.at - ${lead}::int4 else 1 end
          from (select ${matchedAt(sql, text, lead, points, starts)} as at offset 0) met) else 1 end as at offset 0`
  return sql`select substr(${whole}, begins.at, ${points}::int4) as text, begins.at > 1 as cut_before,
      char_length(substr(${whole}, begins.at, ${points + 1}::int4)) > ${points}::int4 as cut_after
    from (${from}) begins`
}

/** Whether it has more code points; of a long text only the beginning is read for it. */
const isLonger = (sql: Sql, text: string, points: number): Fragment =>
  sql`(char_length(left(${sql.literal(text)}, ${points + 1}::int4)) > ${points}::int4)`

/** The place of the word that has most of the words around it. */
const matchedAt = (
  sql: Sql,
  text: string,
  lead: number,
  points: number,
  starts: ReadonlyArray<string>
): Fragment =>
  sql`(select p.at
    from (select translate(lower(${sql.literal(text)}), ${TEXT_LETTERS.from}, ${TEXT_LETTERS.to}) as plain offset 0) l,
      unnest(${starts}::text[]) sought(start), lateral (select strpos(l.plain, sought.start) as at) p,
      lateral (select count(*) as met from unnest(${starts}::text[]) near(start)
        where p.at > 0 and strpos(substr(l.plain, greatest(1, p.at - ${lead}::int4), ${points}::int4), near.start) > 0) n
    where p.at > 0 order by n.met desc, p.at limit 1)`
