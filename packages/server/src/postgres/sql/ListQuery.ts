// Reads one page of any list in one statement, with includes and count, by cursor or offset (contract §1.2). A TableList describes
// the list.
import { APPEAL_MESSAGES_NORMAL_MAX, LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import {
  type Collection,
  type Field,
  isArray,
  keyField,
  type ListWarning,
  type Value
} from "@rapport/contract/lists/Collection.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { searchCoverageOf } from "@rapport/core/context/read/AppealChoice.ts"
import {
  type ListFilter,
  type ListOrder,
  type ListRequest,
  type ListRows,
  selectedMembers
} from "@rapport/core/lists/ListRequest.ts"
import { PAGE_RECORDS_BYTES_MAX } from "@rapport/core/lists/SequencePages.ts"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import { traceAs } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "./Fragment.ts"
import { planForValues, type Rows, rowsOf } from "./Query.ts"
import { type Column, wireForm } from "./Columns.ts"
import { survivorIds } from "./Visibility.ts"

export interface TableList {
  readonly collection: Collection
  /** `with …` of the statement, or null. */
  readonly common: Fragment | null
  /** The tables after `from`. It names the instance for every joined table. */
  readonly from: Fragment
  /**
   * The name of the listed table in `from`, and its joins. With it the columns of the page are read after the rows are chosen, so that
   * skipped rows cost less.
   */
  readonly listed?: { readonly name: string; readonly joined: string }
  /** Tenant and visibility. */
  readonly where: Fragment
  /** By record member, and by field if it has another name. */
  readonly columns: Readonly<Record<string, Column>>
  /** Members whose value differs from the field with their name. */
  readonly members?: Readonly<Record<string, Column>>
  /** SQL of a JSON value, by include name. */
  readonly includes?: Readonly<Record<string, string>>
  /** SQL of an array of the texts that `q` is searched in. */
  readonly searched?: string
  /** A word also counts as found if the key `column` is one that `of` finds; `of` ends before the comparison of a text. */
  readonly searchedAmong?: { readonly column: string; readonly of: string }
  /** Condition on rows that `q` finds in another way. */
  readonly alsoFound?: Fragment | undefined
  /** The message count of a listed appeal, for warnings. */
  readonly messageCount?: string
  /** Selects the rows of the list for a caller who sees everything (`u.everything`), by tenant and kind only. */
  readonly whole?: Fragment
  /** False if no caller reads the total. */
  readonly counted?: boolean
  /** A condition that every row of the page meets, and few others. */
  readonly narrowed?: Fragment | undefined
}

const pageRows = rowsOf(
  Schema.Struct({
    records: Schema.String,
    last: Schema.NullOr(
      Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
    ),
    long: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))),
    more: Schema.Boolean,
    counted: Schema.Int
  })
)

/** Reads one page, its records as text. Any number of rows may have a named value or a searched word, so the plan depends on it. */
export const listRows = (
  sql: Sql,
  list: TableList,
  request: ListRequest
): Effect.Effect<ListRows, SqlError.SqlError> => {
  const page = readPage(pageStatement(sql, list, request))
  const isByPairs = request.filters.some(({ field }) => list.columns[field]?.indexedPairs !== undefined)
  return isByPairs || request.search !== null
    ? sql.withTransaction(Effect.andThen(planForValues(sql), page))
    : page
}

/** Reads the page of a statement. */
export const readPage = traceAs("ListPostgres.listRows")(
  (statement: Rows): Effect.Effect<ListRows, SqlError.SqlError> =>
    Effect.map(pageRows.get(statement), ({ long, ...page }) => ({
      ...page,
      warnings: (long ?? []).map(warningOf)
    }))
)

/** One row: the page and the total. */
export const pageStatement = (
  sql: Sql,
  list: TableList,
  request: ListRequest
): Statement.Statement<unknown> => {
  const filters = [
    list.where,
    ...filterConditions(list, request.filters),
    ...(request.search === null ? [] : [containsWords(list, request.search)])
  ]
  const chosen = chosenRows(
    list,
    request,
    list.narrowed === undefined ? filters : [...filters, list.narrowed]
  )
  const common = list.common === null ? sql.literal("") : sql`with ${list.common}`
  return sql`${common} select page.*, (select count(*)::int4 from (${countedRows(list, filters)}
      limit ${sql.literal(String(list.counted === false ? 0 : LIST_TOTAL_MAX + 1))}) counted) as counted
    from (${sql.literal(shownPage(list))}
      from (select item.*, item.place = 1 or (item.place <= ${request.limit}::int4
          and item.upto <= ${sql.literal(String(PAGE_RECORDS_BYTES_MAX))}) as fits
        from (select chosen.*, row_number() over listed as place,
          sum(octet_length(chosen.record) + 1) over listed as upto
          from (${chosen}) chosen window listed as (rows unbounded preceding)) item) page) page`
}

/** The rows to count. For a caller who sees everything an index is enough, because visibility is not checked per row. */
const countedRows = (list: TableList, filters: ReadonlyArray<Fragment>): Fragment => {
  const visible = sql`select 1 from ${list.from} where ${sql.and(filters)}`
  return list.whole === undefined || filters.length > 1
    ? visible
    : sql`(${list.whole} and (select u.everything from caller u)) union all (${visible} and not u.everything)`
}

/**
 * Selects the rows of `page` that fit the bytes of a page with their commas (contract §12, "Pages"), at least one. `page` has one row
 * more than the limit.
 */
const shownPage = (list: TableList): string => `select
    coalesce(string_agg(page.record, ',') filter (where page.fits), '') as records,
    (array_agg(page.ordered_by))[count(*) filter (where page.fits)] as last,
    ${list.messageCount === undefined ? "null::json" : longAppeals} as long,
    count(*) > count(*) filter (where page.fits) as more`

/** Ids and message counts of the appeals of a page that have a warning. */
const longAppeals = `json_agg(json_build_array(page.key, page.messages))
  filter (where page.fits and page.messages > ${APPEAL_MESSAGES_NORMAL_MAX})`

/** The rows of the page and one more: the record as JSON text, its position, and the numbers for its warning. */
const chosenRows = (list: TableList, request: ListRequest, filters: ReadonlyArray<Fragment>): Fragment => {
  const paged =
    request.after === null ? filters : [...filters, afterPosition(list, request.orders, request.after)]
  const positions = request.orders.map((order) => positionOf(orderColumn(list, order.field))).join(", ")
  const warned =
    list.messageCount === undefined
      ? ""
      : `, ${columnOf(list, keyField(list.collection)).sql} as key, ${list.messageCount} as messages`
  const chosen = sql.literal(
    `select row_to_json(shown)::text as record, json_build_array(${positions}) as ordered_by ${warned}`
  )
  const rendered = sql.literal(`, lateral (select ${shownMembers(list, request)}) shown`)
  const orders = orderBy(list, request.orders)
  const cut = sql`${orders} limit ${request.limit}::int4 + 1 offset ${request.offset}::int4`
  return list.listed === undefined
    ? sql`${chosen} from ${list.from} ${rendered} where ${sql.and(paged)} ${cut}`
    : sql`${chosen} from (select ${sql.literal(list.listed.name)}.* from ${list.from}
          where ${sql.and(paged)} ${cut}) ${sql.literal(`${list.listed.name}${list.listed.joined}`)} ${rendered}
        ${orders}`
}

/** `order by …` of a list. */
export const orderBy = (list: TableList, orders: ReadonlyArray<ListOrder>): Fragment =>
  sql.literal(
    `order by ${orders
      .map((o) => `${orderOf(list, o.field)} ${o.direction}${isRequired(list, o.field) ? "" : " nulls last"}`)
      .join(", ")}`
  )

/** The columns of a record: its members in the form of the wire, then the includes. */
const shownMembers = (list: TableList, { fields, includes }: ListRequest): string => {
  const members = selectedMembers(list.collection, { fields })
  return [
    ...members.map((name) => `${wireForm(memberOf(list, name))} as "${name}"`),
    ...includes.map((name) => `${list.includes?.[name] ?? "null::json"} as "${name}"`)
  ].join(", ")
}

const warningOf = ([appealId, messageCount]: readonly [number, number]): ListWarning => ({
  code: searchCoverageOf(messageCount) === "incomplete" ? "SEARCH_COVERAGE_INCOMPLETE" : "POSSIBLE_DELAY",
  appealId,
  messageCount
})

const columnOf = (list: TableList, name: string): Column => {
  const column = list.columns[name]
  if (column === undefined) throw new Error(`the list ${list.collection.name} has no column ${name}`)
  return column
}
const memberOf = (list: TableList, name: string): Column => list.members?.[name] ?? columnOf(list, name)
const fieldOf = (collection: Collection, name: string): Field => {
  const field = collection.fields[name]
  if (field === undefined) throw new Error(`the list ${collection.name} has no field ${name}`)
  return field
}

const positionOf = (column: Column): string =>
  column.time === true ? `(extract(epoch from ${column.sql}) * 1000)::int8` : column.sql

/** The order of a field: words of an enumeration by their position, texts by the collation. */
const orderColumn = (list: TableList, name: string): Column => {
  const column = columnOf(list, name)
  const field = fieldOf(list.collection, name)
  if (column.order !== undefined) return { sql: column.order }
  if (column.orderedText !== undefined) return { sql: column.orderedText }
  return typeof field === "string"
    ? column
    : { sql: `array_position('{${field.values.join(",")}}'::text[], ${column.sql})` }
}
const isText = (list: TableList, name: string): boolean =>
  fieldOf(list.collection, name) === "text" && columnOf(list, name).order === undefined
/** The Ukrainian alphabet: ґ comes after г. Russian and Latin words have the same order as in other collations. */
const COLLATION = `collate "uk-x-icu"`
const orderOf = (list: TableList, name: string): string =>
  `${orderColumn(list, name).sql}${isText(list, name) ? ` ${COLLATION}` : ""}`

const isRequired = (list: TableList, name: string): boolean => columnOf(list, name).required === true

/** Values are sent as text and cast, because the driver would guess the type of a number. */
const castOf = (field: Field): string => {
  if (typeof field !== "string") return "text"
  switch (field) {
    case "id":
    case "ids":
    case "integer":
    case "signed":
      return "int8"
    case "number":
      return "float8"
    case "time":
      return "timestamptz"
    case "texts":
      return "text"
    default:
      return field
  }
}
const textOf = (field: Field, value: Value): string =>
  field === "time" && typeof value === "number" ? isoOf(value) : String(value)

/** The conditions of filters, for another statement over the rows of a list. */
export const filterConditions = (
  list: TableList,
  filters: ReadonlyArray<ListFilter>
): ReadonlyArray<Fragment> => filters.map((filter) => condition(list, filter))

const condition = (list: TableList, { field: name, operator, value }: ListFilter): Fragment => {
  const field = fieldOf(list.collection, name)
  const { among, client, folded, sql: text } = columnOf(list, name)
  const isFolded = folded === true && ["eq", "ne", "in", "nin"].includes(operator)
  const column = sql.literal(isFolded ? `fold_text(${text})` : text)
  const cast = castOf(field)
  const { indexedPairs, pairs } = columnOf(list, name)
  if (pairs !== undefined) {
    const texts = [value].flat().map(String)
    const found =
      indexedPairs === undefined || Object.hasOwn(orderSigns, operator)
        ? pairs((member, json) => pairCondition(operator, texts, { name: member, json }))
        : containsPair(indexedPairs, texts)
    return operator === "ne" || operator === "nin" ? sql`(${found}) is not true` : found
  }
  const given = Array.isArray(value) ? value.map((v) => textOf(field, v)) : [textOf(field, value as Value)]
  const many = isFolded ? given.map(foldedText) : given
  const sent = sql`${many}::text[]::${sql.literal(cast)}[]`
  const isSame = operator === "eq" || operator === "ne"
  const several = client === true && !isSame ? sql`array(${survivorIds(sent)})` : sent
  const one =
    client === true && isSame
      ? sql`(${survivorIds(sent)})`
      : sql`${many[0] ?? ""}::text::${sql.literal(cast)}`
  if (among !== undefined && (isArray(field) || isSame || operator === "in" || operator === "nin")) {
    const found = sql`${sql.literal(among.column)} = any(array(${sql.literal(among.of)}
      ${operator === "isNull" ? sql.literal("is not null") : sql`= any(${several})`}))`
    const isComplement = operator === "ne" || operator === "nin" || (operator === "isNull" && value === true)
    return isComplement ? sql`(${found}) is not true` : found
  }
  if (isArray(field)) {
    switch (operator) {
      case "isNull":
        return value === true ? sql`cardinality(${column}) = 0` : sql`cardinality(${column}) > 0`
      case "ne":
      case "nin":
        return sql`not (${column} && ${several})`
      default:
        return sql`${column} && ${several}`
    }
  }
  switch (operator) {
    case "eq":
      return sql`${column} = ${one}`
    case "ne":
      return sql`${column} is distinct from ${one}`
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return sql`${column} ${sql.literal(orderSigns[operator])} ${one}`
    case "in":
      return sql`${column} = any(${several})`
    case "nin":
      return sql`(${column} is null or not (${column} = any(${several})))`
    case "contains":
      return sql`strpos(fold_text(${column}), fold_text(${one})) > 0`
    case "startsWith":
      return sql`starts_with(fold_text(${column}), fold_text(${one}))`
    case "isNull":
      return value === true ? sql`${column} is null` : sql`${column} is not null`
  }
}

const DECIMAL = /^-?[0-9]{1,30}(?:\.[0-9]{1,30})?$/u
const orderSigns = { gt: ">", gte: ">=", lt: "<", lte: "<=" }

/** Finds the same rows as `pairCondition` of equality. Stored numbers are written as JSON writes them. */
const containsPair = (objects: string, pairs: ReadonlyArray<string>): Fragment =>
  sql.or(
    pairs.flatMap((pair) => {
      const colon = pair.indexOf(":")
      const text = pair.slice(colon + 1)
      // JSON writes NaN and Infinity as null, and null has no value.
      const others = [Number(text), true, false].filter(
        (scalar) => text !== "null" && JSON.stringify(scalar) === text
      )
      return [text, ...others]
        .flatMap((scalar) => [scalar, [scalar]])
        .map((found) => JSON.stringify({ [pair.slice(0, colon)]: found }))
        .map((object) => sql`${sql.literal(objects)} @> ${object}::text::jsonb`)
    })
  )

/** A scalar is compared as its text, in an order numbers only with numbers. Each scalar of an array counts as equal. */
const pairCondition = (
  operator: ListFilter["operator"],
  pairs: ReadonlyArray<string>,
  { json, name }: { readonly name: string; readonly json: string }
): Fragment => {
  const sign = Object.entries(orderSigns).find(([name]) => name === operator)?.[1]
  const scalar = `(${json} #>> '{}')`
  const isOf = (type: string) => sql.literal(`json_typeof(${json}) = '${type}'`)
  const comparisonWith = (value: string): Fragment => {
    if (sign === undefined)
      return sql`${value}::text = any(case when ${isOf("array")} then array(select json_array_elements_text(${sql.literal(json)}))
        else array[${sql.literal(scalar)}] end)`
    return DECIMAL.test(value)
      ? sql`case when ${isOf("number")} then ${sql.literal(`${scalar}::numeric ${sign}`)} ${value}::text::numeric end`
      : sql`case when ${isOf("string")} then ${sql.literal(`${scalar} collate "C" ${sign}`)} ${value}::text end`
  }
  return sql.or(
    pairs.map((pair) => {
      const colon = pair.indexOf(":")
      return sql`(${sql.literal(name)} = ${pair.slice(0, colon)}::text and ${comparisonWith(pair.slice(colon + 1))})`
    })
  )
}

/** Every word of the text is in one of the searched texts, in any order. */
const containsWords = (
  { alsoFound, searched = "'{}'::text[]", searchedAmong: among }: TableList,
  text: string
): Fragment => {
  // A condition for each word, because `like all` uses no index. Words have no line breaks, so that none is found across two texts.
  const found = sql.and(
    text.split(/\s+/u).flatMap((part) => {
      if (part === "") return []
      const word = foldedText(part)
      const within = sql`search_text(${sql.literal(searched)}) like ${likePattern(word)}::text`
      if (among === undefined) return [within]
      const keys = sql`${sql.literal(among.of)} like ${likePattern(word)}::text`
      const key = sql.literal(among.column)
      // The index has parts of three letters. Without it many keys are found, and `any` would compare each row with each of them.
      return [
        sql`(${within} or ${word.length < 3 ? sql`${key} in (${keys})` : sql`${key} = any(array(${keys}))`})`
      ]
    })
  )
  return alsoFound === undefined ? found : sql.or([found, alsoFound])
}
const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`

/** Condition: the row is after the position. Null is last in both directions. */
export const afterPosition = (
  list: TableList,
  orders: ReadonlyArray<ListOrder>,
  position: ReadonlyArray<string | number | boolean | null>
): Fragment => {
  const parts = orders.map((order, i) => {
    const field = fieldOf(list.collection, order.field)
    const place = typeof field !== "string" || columnOf(list, order.field).order !== undefined
    const at = position[i] ?? null
    return {
      expression: sql.literal(orderOf(list, order.field)),
      direction: order.direction,
      bound:
        at === null
          ? null
          : sql`${place ? String(at) : textOf(field, at)}::text::${sql.literal(place ? "int8" : castOf(field))}`,
      isRequired: isRequired(list, order.field)
    }
  })
  const [first] = parts
  // A comparison of rows is a range of an index. The general form is a filter, so a required first value limits the range.
  if (parts.every((p) => p.isRequired && p.direction === first?.direction)) {
    const row = sql.csv(parts.map((p) => p.expression))
    const bounds = sql.csv(parts.map((p) => p.bound ?? sql`null`))
    return sql`(${row}) ${beyond(first?.direction)} (${bounds})`
  }
  const range =
    first?.isRequired === true
      ? [sql`${first.expression} ${beyond(first.direction)}= ${first.bound ?? sql`null`}`]
      : []
  const later = parts.flatMap(({ bound, direction, expression }, i) => {
    if (bound === null) return []
    const same = parts
      .slice(0, i)
      .map((p) => (p.bound === null ? sql`${p.expression} is null` : sql`${p.expression} = ${p.bound}`))
    return [sql.and([...same, sql`(${expression} ${beyond(direction)} ${bound} or ${expression} is null)`])]
  })
  return sql.and([...range, sql.or(later)])
}

const beyond = (direction: ListOrder["direction"] = "asc"): Fragment =>
  sql.literal(direction === "asc" ? ">" : "<")
