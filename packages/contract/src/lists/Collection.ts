// The description of a list, from which its query parameters, checks and SQL follow (contract §1.2).
import { Effect, Predicate, Schema, SchemaAST, SchemaGetter, SchemaIssue } from "effect"
import { distinct, distinctOf } from "../values/Distinct.ts"
import { PositiveId, PositiveInt, UuidV7, Version } from "../values/Ids.ts"
import {
  CURSOR_CHARACTERS_MAX,
  LIST_VALUES_MAX,
  ListLimits,
  OffsetLimits,
  SEARCH_TEXT_POINTS_MAX
} from "../Limits.ts"
import { commaListKey, integerKey, limitParameter } from "../values/Numbers.ts"
import { normalTextOf, textOf } from "../values/Checks.ts"
import { rangeMillisOf, RangeTime, rangeTimeWith, Time } from "../values/Time.ts"

/**
 * The type of a field, which decides on its operators. `ids` and `texts` are arrays: eq means that the array has the value.
 * `pairs` are members that the instance defines: a value is `name:value`.
 */
export type FieldKind =
  | "id"
  | "integer"
  | "signed"
  | "number"
  | "time"
  | "date"
  | "text"
  | "uuid"
  | "boolean"
  | "ids"
  | "texts"
  | "pairs"
/** A closed list of values, ordered as listed. */
export interface Enumeration {
  readonly values: ReadonlyArray<string>
  /** Whether the field is an array of them. */
  readonly several?: true
  /** False if a list can be filtered, but not ordered, by the field. Arrays are never ordered. */
  readonly ordered?: false
}
export type Field = FieldKind | Enumeration

export interface Collection {
  /** The stable name of the list in cursors and messages. */
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
  /** Members of the record that `fields=` may name. id is always included. */
  readonly members: ReadonlyArray<string>
  /** Members that `include=` may add. */
  readonly includes?: ReadonlyArray<string>
  /** Whether the list has `q=`. */
  readonly searched?: true
  /** The unique member that breaks ties, by default id. */
  readonly key?: string
  /** By default createdAt descending, if the list has that field. */
  readonly defaultOrder?: { readonly field: string; readonly direction: "asc" | "desc" }
}

const kindOf: ReadonlyMap<SchemaAST.AST, FieldKind> = new Map<SchemaAST.AST, FieldKind>([
  [PositiveInt.ast, "id"],
  [Version.ast, "integer"],
  [Schema.Int.ast, "integer"],
  [Schema.Finite.ast, "number"],
  [Time.ast, "time"],
  [Schema.String.ast, "text"],
  [UuidV7.ast, "uuid"],
  [Schema.Boolean.ast, "boolean"]
])

/** The field of a scalar member or of an array of them; undefined for other members. */
const fieldOf = (ast: SchemaAST.AST): Field | undefined => {
  const kind = kindOf.get(ast)
  if (kind !== undefined) return kind
  if (SchemaAST.isArrays(ast)) {
    const item = ast.rest.map(fieldOf)[0]
    if (typeof item === "object") return { ...item, several: true }
    return item === "id" ? "ids" : item === "text" ? "texts" : undefined
  }
  const types = SchemaAST.isUnion(ast) ? ast.types.filter((type) => !SchemaAST.isNull(type)) : []
  const values = types.flatMap((type) => (SchemaAST.isLiteral(type) ? [String(type.literal)] : []))
  if (values.length > 0) return { values }
  if (types.length === 1) return types.map(fieldOf)[0]
  if (SchemaAST.isString(ast) || SchemaAST.isNumber(ast) || SchemaAST.isBoolean(ast))
    throw new Error("a scalar member of a listed record needs a kind of field")
  return undefined
}

/** The list of a record: each scalar member is a field (contract §9), except those in `except`. */
export const collectionOf = (
  name: string,
  { fields }: { readonly fields: Schema.Struct.Fields },
  { except = [], ...options }: ListOptions = {}
): Collection => ({
  name,
  fields: Object.fromEntries(
    Object.entries(fields).flatMap(([member, { ast }]) => {
      const field = except.includes(member) ? undefined : fieldOf(ast)
      return field === undefined ? [] : [[member, field]]
    })
  ),
  members: Object.keys(fields),
  ...options
})
interface ListOptions extends Omit<Collection, "name" | "fields" | "members"> {
  readonly except?: ReadonlyArray<string>
}

/** The member that every listed record has and that breaks ties. */
export const keyField = ({ key }: Collection): string => key ?? "id"

export const operators = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "contains",
  "startsWith",
  "isNull"
] as const
export type Operator = (typeof operators)[number]

const compared: ReadonlyArray<Operator> = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "isNull"]
const named: ReadonlyArray<Operator> = ["eq", "ne", "in", "nin", "isNull"]
const byKind: Readonly<Record<FieldKind, ReadonlyArray<Operator>>> = {
  id: compared,
  integer: compared,
  signed: compared,
  number: compared,
  time: compared,
  date: compared,
  text: ["eq", "ne", "in", "nin", "contains", "startsWith", "isNull"],
  uuid: named,
  boolean: named,
  ids: named,
  texts: named,
  pairs: ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
}
export const operatorsOf = (field: Field): ReadonlyArray<Operator> =>
  typeof field === "string" ? byKind[field] : named
export const isArray = (field: Field): boolean =>
  typeof field === "string" ? field === "ids" || field === "texts" : field.several === true
export const isOrdered = (field: Field): boolean =>
  field !== "pairs" && !isArray(field) && (typeof field === "string" || field.ordered !== false)
export const orderedFields = (collection: Collection): ReadonlyArray<string> =>
  Object.entries(collection.fields).flatMap(([name, field]) => (isOrdered(field) ? [name] : []))

/** A decoded filter value: times are epoch milliseconds. */
export type Value = string | number | boolean
export type QueryRecord = { readonly [name: string]: Value | ReadonlyArray<Value> | undefined }

const decimal = <To extends Schema.Codec<number>>(pattern: RegExp, message: string, to: To) =>
  Schema.String.check(Schema.isPattern(pattern, { message })).pipe(
    Schema.decodeTo(to, { decode: SchemaGetter.Number(), encode: SchemaGetter.String() })
  )
const integer = (pattern: RegExp) => {
  const message = "must be an integer written in digits"
  return decimal(
    pattern,
    message,
    Schema.Finite.check(
      Schema.makeFilter<number>(Number.isSafeInteger, { message, toJsonSchema: () => ({}) })
    )
  )
}
const boolean = Schema.Literals(["true", "false"])
  .annotate({ message: "must be true or false" })
  .pipe(
    Schema.decodeTo(Schema.Boolean, {
      decode: SchemaGetter.transform((text: "true" | "false") => text === "true"),
      encode: SchemaGetter.transform((value: boolean) => (value ? "true" : "false"))
    })
  )
const codecs: Readonly<Record<FieldKind, Schema.Codec<Value, string>>> = {
  id: PositiveId,
  ids: PositiveId,
  integer: integer(/^(?:0|[1-9][0-9]{0,15})$/u),
  signed: integer(/^(?:0|-?[1-9][0-9]{0,15})$/u),
  number: decimal(
    /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?$/u,
    "must be a JSON number",
    Schema.Finite
  ),
  time: RangeTime,
  date: Schema.String.check(
    Schema.isPattern(/^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/u, {
      message: "must be a date, YYYY-MM-DD"
    }),
    // PostgreSQL would refuse 30 February where it is compared.
    Schema.makeFilter<string>((text) => rangeMillisOf(text) !== undefined, {
      message: "must be a date, YYYY-MM-DD",
      toJsonSchema: () => ({})
    })
  ),
  text: normalTextOf(1, SEARCH_TEXT_POINTS_MAX),
  texts: normalTextOf(1, SEARCH_TEXT_POINTS_MAX),
  pairs: normalTextOf(1, SEARCH_TEXT_POINTS_MAX).check(
    Schema.isPattern(/^[^:]+:[^]+$/u, { message: "must be a name, a colon and a value" })
  ),
  uuid: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, {
      message: "must be a UUID in lower case"
    })
  ),
  boolean
}
const codecOf = (field: Field): Schema.Codec<Value, string> =>
  typeof field === "string"
    ? codecs[field]
    : Schema.Literals(field.values).annotate({ message: `must be one of ${field.values.join(", ")}` })

/** How the document describes one value of a list, computed once for each kind of value. */
const described = new Map<Schema.Codec<Value, string>, unknown>()
const describe = (codec: Schema.Codec<Value, string>): unknown => {
  const known = described.get(codec)
  if (known !== undefined) return known
  const { schema } = Schema.toJsonSchemaDocument(codec, {
    includeAnnotationKey: (key) => key === integerKey
  })
  described.set(codec, schema)
  return schema
}

/** Values separated by commas, at most LIST_VALUES_MAX distinct ones. */
const commaSeparated = <T extends Value>(item: Schema.Codec<T, string>) =>
  Schema.String.annotate({ [commaListKey]: { items: describe(item), maxItems: LIST_VALUES_MAX } }).pipe(
    Schema.decodeTo(distinct(item, { maximum: LIST_VALUES_MAX, noun: "values" }), {
      decode: SchemaGetter.transform((text: string) => text.split(",")),
      encode: SchemaGetter.transform((items: ReadonlyArray<string>) => items.join(","))
    })
  )

/** Names of a closed list, separated by commas. An unknown name is refused with the allowed ones. */
const namesOf = (allowed: ReadonlyArray<string>, effect: string) =>
  Schema.String.annotate({
    description: `Any of ${allowed.join(", ")}, separated by commas. ${effect}`,
    [commaListKey]: {
      items: { type: "string", enum: allowed },
      maxItems: allowed.length,
      examples: [allowed.slice(0, 2)]
    }
  }).pipe(
    Schema.decodeTo(Schema.Array(Schema.String), {
      decode: SchemaGetter.transformEffect((text: string) => {
        const names = text.split(",")
        return names.every((name) => allowed.includes(name))
          ? Effect.succeed(distinctOf(names))
          : Effect.fail(
              new SchemaIssue.InvalidValue({
                message: `must be names of this list: ${allowed.join(", ")}`
              })
            )
      }),
      encode: SchemaGetter.transform((names: ReadonlyArray<string>) => names.join(","))
    })
  )

type Parameter = Schema.optionalKey<Schema.Codec<Value | ReadonlyArray<Value>, string>>
/** The query parameters of a list by name, all optional. */
export type ListQuery = Readonly<Record<string, Parameter>>

/** The parameters of a list, the five most used first (contract §1.2). `wanted` limits them to some names. */
export const listQuery = (
  collection: Collection,
  isWanted: (name: string) => boolean = () => true
): ListQuery => {
  const query: Record<string, Parameter> = {}
  const add = (name: string, schema: () => Schema.Codec<Value | ReadonlyArray<Value>, string>) => {
    if (isWanted(name)) query[name] ??= Schema.optionalKey(schema())
  }
  const addFilter = (name: string, field: Field) => {
    for (const operator of operatorsOf(field)) {
      const schema = () => {
        if (operator === "isNull") return boolean
        return operator === "in" || operator === "nin" ? commaSeparated(codecOf(field)) : codecOf(field)
      }
      if (operator === "eq") add(`filter[${name}]`, schema)
      add(`filter[${name}][${operator}]`, schema)
    }
  }
  const direction = Schema.Literals(["asc", "desc"]).annotate({ message: "must be asc or desc" })
  if (collection.fields["createdAt"] !== undefined) {
    // Both examples together match records, because the documentation page sends them.
    add("filter[createdAt][gt]", () => rangeTimeWith("2026-01-01T00:00:00.000Z"))
    add("filter[createdAt][lt]", () => rangeTimeWith("2027-01-01T00:00:00.000Z"))
  }
  add("limit", () => limitParameter(ListLimits, "Rows of a page"))
  add("offset", () => limitParameter(OffsetLimits, "Rows to skip"))
  if (collection.fields["createdAt"] !== undefined)
    add("order[createdAt]", () => direction.annotate({ examples: ["desc"] }))
  add("cursor", () =>
    textOf(1, CURSOR_CHARACTERS_MAX).annotate({
      description: "nextCursor of the previous page, with the same filters and order"
    })
  )
  if (collection.searched === true) add("q", () => normalTextOf(1, SEARCH_TEXT_POINTS_MAX))
  add("fields", () => namesOf(collection.members, "Rows have only these members."))
  const { includes } = collection
  if (includes !== undefined) add("include", () => namesOf(includes, "Rows have these members in addition."))
  for (const [name, field] of Object.entries(collection.fields)) addFilter(name, field)
  for (const name of orderedFields(collection)) add(`order[${name}]`, () => direction)
  return query
}

/** The query string of a list, whose collection `collectionIn` returns. */
export const queryOf = <F extends Schema.Struct.Fields>(collection: Collection, parameters: F) =>
  Schema.Struct(parameters).annotate({ rapportCollection: collection })

export const collectionIn = (query: Schema.Top | undefined): Collection | undefined => {
  const found: unknown = query && Schema.resolveAnnotations(query)?.["rapportCollection"]
  return isCollection(found) ? found : undefined
}
const isCollection = (u: unknown): u is Collection => Predicate.hasProperty(u, "members")

/** Parameters that a route removes from those of the list, or adds to them. */
export interface OtherParameters {
  readonly left: ReadonlyArray<string>
  readonly more: ReadonlyArray<string>
}
export const noOtherParameters: OtherParameters = { left: [], more: [] }

/** The message for an unknown query parameter. */
export const unknownParameter = (
  collection: Collection,
  name: string,
  { left, more }: OtherParameters = noOtherParameters
): string => {
  const filter = /^filter\[([^[\]]*)\]/u.exec(name)
  if (filter !== null) {
    const field = Object.entries(collection.fields).find(([known]) => known === filter[1])
    return field === undefined
      ? `is unknown: filters are ${Object.keys(collection.fields).join(", ")}`
      : `is unknown: operators of ${field[0]} are ${operatorsOf(field[1]).join(", ")}`
  }
  if (name.startsWith("filter")) return `is unknown: filters are ${Object.keys(collection.fields).join(", ")}`
  if (name.startsWith("order")) return `is unknown: orders are ${orderedFields(collection).join(", ")}`
  const others = [
    "limit",
    "offset",
    "cursor",
    "fields",
    ...(collection.includes === undefined ? [] : ["include"]),
    ...(collection.searched === true ? ["q"] : [])
  ].filter((other) => !left.includes(other))
  return `is unknown: there are ${["filter[…]", "order[…]", ...others, ...more].join(", ")}`
}

/** A warning about one listed appeal (contract §1.2). */
export const ListWarning = Schema.Struct({
  code: Schema.Literals(["POSSIBLE_DELAY", "SEARCH_COVERAGE_INCOMPLETE"]),
  appealId: Schema.Int,
  messageCount: Schema.Int
}).annotate({ identifier: "ListWarning" })
export type ListWarning = typeof ListWarning.Type

/** The envelope of every list. It describes whole records, of which `fields` selects members. */
export const envelope = <S extends Schema.Constraint>(listed: S) =>
  Schema.Struct({
    data: Schema.Array(listed),
    total: Schema.Int.annotate({ description: "Exact up to 10,000, then a lower bound" }),
    totalIsLowerBound: Schema.Boolean,
    limit: Schema.Int,
    offset: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.NullOr(Schema.String),
    warnings: Schema.Array(ListWarning)
  })
