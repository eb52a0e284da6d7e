// The plain meaning of a list's filters and orders over records in memory, and random questions to try them with
// (contract §1.2).
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
/** What a record holds of a field; a group is sought among the groups of the appeal's subject. */
const valueOf = (row: Row, name: string, { kind }: Field): unknown => {
  const value =
    name === "skillGroupId"
      ? row["skillGroupIds"]
      : name === "identities"
        ? identitiesOf(row["identities"]).map(({ channel, chatId }) => `${channel}:${chatId}`)
        : row[name]
  return kind === "time" && typeof value === "string" ? Date.parse(value) : (value ?? null)
}
const sentOf = (value: unknown, { kind }: Field): string =>
  kind === "time" ? new Date(Number(value)).toISOString() : String(value)

interface Filter {
  readonly name: string
  readonly operator: Operator
  readonly values: ReadonlyArray<unknown>
}
/** What a list is asked for; at least one order. */
export interface Asked {
  readonly filters: ReadonlyArray<Filter>
  readonly orders: ReadonlyArray<{ readonly name: string; readonly direction: "asc" | "desc" }>
}

const comparable = (value: unknown): number | string =>
  typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : String(value)

/** The plain meaning of a filter. */
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

const fieldOf = (collection: Collection, name: string): Field => collection.fields[name] ?? { kind: "text" }

/** Null last in both directions, enums as listed, the key last in the direction of the last order. */
const arranged = (
  rows: ReadonlyArray<Row>,
  orders: Asked["orders"],
  collection: Collection
): ReadonlyArray<Row> => {
  const last = orders.at(-1)?.direction ?? "desc"
  const placed = (row: Row, name: string) => {
    const { kind } = fieldOf(collection, name)
    const value = valueOf(row, name, { kind })
    if (value === null) return null
    return typeof kind === "object" ? kind.values.indexOf(String(value)) : comparable(value)
  }
  return rows.toSorted((a, b) => {
    for (const { direction, name } of [...orders, { name: keyField(collection), direction: last }]) {
      const [x, y] = [placed(a, name), placed(b, name)]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return x < y === (direction === "asc") ? -1 : 1
    }
    return 0
  })
}

/** Values that the records have, parts of texts, and some that none has. */
const valuesOf = (rows: ReadonlyArray<Row>, name: string, field: Field): ReadonlyArray<unknown> => {
  const there = [...new Set(rows.flatMap((row) => valueOf(row, name, field)))].filter((v) => v !== null)
  const { kind } = field
  if (kind === "boolean") return [true, false]
  if (typeof kind === "object") return kind.values
  if (kind === "time") return [...there, Date.UTC(2001, 0, 1), Date.UTC(2100, 0, 1)]
  if (kind === "uuid") return [...there, "01990000-0000-7000-8000-000000000000"]
  if (kind === "text" || kind === "texts") {
    const texts = there.map(String).filter((text) => text.length <= 100)
    return [...texts, ...texts.map((text) => text.slice(0, 2).toUpperCase()), "немає%_\\"].filter(
      (text) => !text.includes(",") && text.trim() !== ""
    )
  }
  return [...there, 7_777_777]
}

/** The records that pass, in their order. */
export const chosen = (rows: ReadonlyArray<Row>, asked: Asked, collection: Collection): ReadonlyArray<Row> =>
  arranged(
    rows.filter((row) => asked.filters.every((one) => passes(row, one, fieldOf(collection, one.name)))),
    asked.orders,
    collection
  )

/** Random questions about a list, made of what its records hold. */
export const asking = (collection: Collection, rows: ReadonlyArray<Row>): fc.Arbitrary<Asked> => {
  // The records don't show properties.
  const compared = Object.keys(collection.fields).filter((name) => fieldOf(collection, name).kind !== "pairs")
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
  // How people sort text is another test's.
  const sortable = orderedFields(collection).filter((name) => fieldOf(collection, name).kind !== "text")
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

/** As a caller writes it. */
export const queryOf = ({ filters, orders }: Asked, collection: Collection): URLSearchParams =>
  new URLSearchParams([
    ...filters.map(({ name, operator, values }): [string, string] => [
      `filter[${name}][${operator}]`,
      operator === "isNull"
        ? String(values[0])
        : values.map((value) => sentOf(value, fieldOf(collection, name))).join(",")
    ]),
    ...orders.map(({ direction, name }): [string, string] => [`order[${name}]`, direction]),
    ["limit", "100"]
  ])
