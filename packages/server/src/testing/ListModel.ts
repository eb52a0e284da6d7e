// A model of the list grammar over records in memory, and random queries (contract §1.2).
import {
  type Collection,
  type Field,
  keyField,
  operatorsOf,
  type Operator,
  orderedFields
} from "@rapport/contract/lists/Collection.ts"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import { Identity } from "@rapport/contract/clients/ClientsApi.ts"
import { Schema } from "effect"
import * as fc from "fast-check"

/** A record as a list shows it. */
export type Row = { readonly [name: string]: unknown }

const identitiesOf = Schema.decodeUnknownSync(Schema.Array(Identity))
/** The value of a field in a record. A group matches any group of the appeal's subject. */
const valueOf = (row: Row, name: string, field: Field): unknown => {
  const value =
    name === "skillGroupId"
      ? row["skillGroupIds"]
      : name === "identities"
        ? identitiesOf(row["identities"]).map(({ channel, chatId }) => `${channel}:${chatId}`)
        : row[name]
  return field === "time" && typeof value === "string" ? Date.parse(value) : (value ?? null)
}
const parameterOf = (value: unknown, field: Field): string =>
  field === "time" ? new Date(Number(value)).toISOString() : String(value)

interface Filter {
  readonly name: string
  readonly operator: Operator
  readonly values: ReadonlyArray<unknown>
}
/** The query of a list, with at least one order. */
export interface ListQuery {
  readonly filters: ReadonlyArray<Filter>
  readonly orders: ReadonlyArray<{ readonly name: string; readonly direction: "asc" | "desc" }>
}

const comparable = (value: unknown): number | string =>
  typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : String(value)

const passes = (row: Row, { name, operator, values }: Filter, field: Field): boolean => {
  const got = valueOf(row, name, field)
  const [wanted] = values
  const has = Array.isArray(got) ? values.some((value) => got.includes(value)) : values.includes(got)
  const [a, b] = [comparable(got), comparable(wanted)]
  switch (operator) {
    case "eq":
    case "in":
      return has
    case "ne":
    case "nin":
      return !has
    case "isNull":
      return (got === null || (Array.isArray(got) && got.length === 0)) === wanted
    case "contains":
      return got !== null && foldedText(String(a)).includes(foldedText(String(b)))
    case "startsWith":
      return got !== null && foldedText(String(a)).startsWith(foldedText(String(b)))
    case "gt":
      return got !== null && a > b
    case "gte":
      return got !== null && a >= b
    case "lt":
      return got !== null && a < b
    case "lte":
      return got !== null && a <= b
  }
}

const fieldOf = (collection: Collection, name: string): Field => collection.fields[name] ?? "text"

/** Null last in both directions, enums as listed, the key last in the direction of the last order. */
const sortRows = (
  rows: ReadonlyArray<Row>,
  orders: ListQuery["orders"],
  collection: Collection
): ReadonlyArray<Row> => {
  const last = orders.at(-1)?.direction ?? "desc"
  const placeOf = (row: Row, name: string) => {
    const field = fieldOf(collection, name)
    const value = valueOf(row, name, field)
    if (value === null) return null
    return typeof field === "object" ? field.values.indexOf(String(value)) : comparable(value)
  }
  return rows.toSorted((a, b) => {
    for (const { direction, name } of [...orders, { name: keyField(collection), direction: last }]) {
      const [x, y] = [placeOf(a, name), placeOf(b, name)]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return x < y === (direction === "asc") ? -1 : 1
    }
    return 0
  })
}

/** Values of the records, parts of their texts, and values that no record has. */
const valuesOf = (rows: ReadonlyArray<Row>, name: string, field: Field): ReadonlyArray<unknown> => {
  const there = [...new Set(rows.flatMap((row) => valueOf(row, name, field)))].filter((v) => v !== null)
  if (field === "boolean") return [true, false]
  if (typeof field === "object") return field.values
  if (field === "time") return [...there, Date.UTC(2001, 0, 1), Date.UTC(2100, 0, 1)]
  if (field === "uuid") return [...there, "01990000-0000-7000-8000-000000000000"]
  if (field === "text" || field === "texts") {
    const texts = there.map(String).filter((text) => text.length <= 100)
    return [...texts, ...texts.map((text) => text.slice(0, 2).toUpperCase()), "немає%_\\"].filter(
      (text) => !text.includes(",") && text.trim() !== ""
    )
  }
  return [...there, 7_777_777]
}

/** The records that the list must return, in order. */
export const expectedRows = (
  rows: ReadonlyArray<Row>,
  query: ListQuery,
  collection: Collection
): ReadonlyArray<Row> =>
  sortRows(
    rows.filter((row) => query.filters.every((one) => passes(row, one, fieldOf(collection, one.name)))),
    query.orders,
    collection
  )

/** Random queries of a list, mostly with values that its records have. */
export const arbitraryQuery = (collection: Collection, rows: ReadonlyArray<Row>): fc.Arbitrary<ListQuery> => {
  // Records do not show their properties.
  const compared = Object.keys(collection.fields).filter((name) => fieldOf(collection, name) !== "pairs")
  const filter = fc.constantFrom(...compared).chain((name) => {
    const field = fieldOf(collection, name)
    const value = fc.constantFrom(...valuesOf(rows, name, field))
    return fc.constantFrom(...operatorsOf(field)).chain((operator) => {
      const values =
        operator === "isNull"
          ? fc.boolean().map((is) => [is])
          : operator === "in" || operator === "nin"
            ? fc.array(value, { minLength: 1, maxLength: 3 })
            : value.map((one) => [one])
      return values.map((some): Filter => ({ name, operator, values: some }))
    })
  })
  // Another test checks the order of texts.
  const sortable = orderedFields(collection).filter((name) => fieldOf(collection, name) !== "text")
  return fc.record({
    filters: fc.uniqueArray(filter, {
      maxLength: 2,
      selector: ({ name, operator }) => `${name} ${operator}`
    }),
    orders: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...sortable),
        direction: fc.constantFrom("asc" as const, "desc" as const)
      }),
      { minLength: 1, maxLength: 3, selector: ({ name }) => name }
    )
  })
}

/** The query as parameters of a request. */
export const queryOf = ({ filters, orders }: ListQuery, collection: Collection): URLSearchParams =>
  new URLSearchParams([
    ...filters.map(({ name, operator, values }): [string, string] => [
      `filter[${name}][${operator}]`,
      operator === "isNull"
        ? String(values[0])
        : values.map((value) => parameterOf(value, fieldOf(collection, name))).join(",")
    ]),
    ...orders.map(({ direction, name }): [string, string] => [`order[${name}]`, direction]),
    ["limit", "100"]
  ])
