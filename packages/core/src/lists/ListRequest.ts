// The request of one page of a list, decoded from the query parameters (contract §1.2).
import { InvalidRequest, type Violation } from "@rapport/contract/Errors.ts"
import { LIST_ORDERS_MAX, LIST_TOTAL_MAX, ListLimits, OffsetLimits } from "@rapport/contract/Limits.ts"
import { detailOf } from "@rapport/contract/values/Faults.ts"
import {
  type Collection,
  keyField,
  type ListWarning,
  type Operator,
  operators,
  type QueryRecord,
  type Value
} from "@rapport/contract/lists/Collection.ts"
import { Effect, Option } from "effect"
import type { Cursors, Position } from "./Cursors.ts"

export interface ListFilter {
  readonly field: string
  readonly operator: Operator
  /** An array for in and nin. */
  readonly value: Value | ReadonlyArray<Value>
}
export interface ListOrder {
  readonly field: string
  readonly direction: "asc" | "desc"
}

/** `orders` always ends with id, so the order is total. `after` starts behind a row and excludes `offset`. */
export interface ListRequest {
  readonly filters: ReadonlyArray<ListFilter>
  readonly orders: ReadonlyArray<ListOrder>
  readonly limit: number
  readonly offset: number
  readonly after: Position | null
  /** Null: every member. */
  readonly fields: ReadonlyArray<string> | null
  readonly includes: ReadonlyArray<string>
  readonly search: string | null
  /** The purpose of cursors of this page. */
  readonly purpose: string
}

export interface ListRows {
  /** JSON in the form of the wire, separated by commas; within `limit` and the bytes of a page. */
  readonly records: string
  /** The values that the last record is ordered by; null without records. */
  readonly last: Position | null
  /** Whether further records follow. */
  readonly more: boolean
  /** Counted to LIST_TOTAL_MAX + 1. */
  readonly counted: number
  readonly warnings: ReadonlyArray<ListWarning>
}

/** The response of a page: `text` is the JSON of the envelope of contract §1.2. */
export interface ListPage {
  readonly text: string
  readonly total: number
}

/** The members that `fields` selects; the key is always one of them. */
export const selectedMembers = (
  collection: Collection,
  { fields }: Pick<ListRequest, "fields">
): ReadonlyArray<string> =>
  collection.members.filter((name) => name === keyField(collection) || (fields?.includes(name) ?? true))

/** The decoded records of a page. */
export const recordsOf = ({ records }: Pick<ListRows, "records">): ReadonlyArray<ListedRecord> =>
  JSON.parse(`[${records}]`)
export type ListedRecord = Readonly<Record<string, unknown>>

/** A page whose records differ between store and wire. */
export const withRecords = (
  rows: ListRows,
  shown: (record: ListedRecord) => ListedRecord,
  json: (records: ReadonlyArray<ListedRecord>) => string = JSON.stringify
): ListRows => ({
  ...rows,
  records: json(recordsOf(rows).map(shown)).slice(1, -1)
})

const parameter = /^(filter|order)\[([A-Za-z0-9_]+)\](?:\[([A-Za-z]+)\])?$/u

const parametersIn = (kind: "filter" | "order", query: QueryRecord, names: ReadonlyArray<string>) =>
  names.flatMap((name) => {
    const value = query[name]
    const [, prefix, field, operator] = parameter.exec(name) ?? []
    return value === undefined || field === undefined || prefix !== kind ? [] : [{ field, operator, value }]
  })

/** The filters of a decoded query, in the order in which they were sent. */
export const filtersIn = (query: QueryRecord, names: ReadonlyArray<string>): ReadonlyArray<ListFilter> =>
  parametersIn("filter", query, names).map((sent) => ({ ...sent, operator: operatorOf(sent.operator) }))

/**
 * Reads a decoded query. `names` are the parameters as sent: the order of `order[…]` counts. Fails with all
 * contradictions: offset with cursor, more than LIST_ORDERS_MAX orders, a cursor of another list.
 */
export const listRequest = Effect.fnUntraced(function* (
  cursors: Cursors["Service"],
  instanceId: number,
  collection: Collection,
  query: QueryRecord,
  names: ReadonlyArray<string>
) {
  const filters = filtersIn(query, names)
  const requested = parametersIn("order", query, names).map(({ field, value }): ListOrder => ({
    field,
    direction: value === "desc" ? "desc" : "asc"
  }))
  const violations: Array<Violation> = []
  if (requested.length > LIST_ORDERS_MAX)
    violations.push({
      path: `order[${requested.at(-1)?.field}]`,
      message: `at most ${LIST_ORDERS_MAX} orders may be given`
    })
  const orders = totalOrder(collection, requested)
  const search = textOf(query["q"])
  const purpose = JSON.stringify([
    instanceId,
    collection.name,
    filters.map((f) => [f.field, f.operator, f.value]),
    orders,
    search
  ])
  const cursor = textOf(query["cursor"])
  const opened = cursor === null ? Option.none() : cursors.open(purpose, cursor)
  if (cursor !== null && query["offset"] !== undefined)
    violations.push({ path: "offset", message: "may not be given together with cursor" })
  else if (cursor !== null && Option.isNone(opened))
    violations.push({
      path: "cursor",
      message: "is no cursor of this list with these filters and this order"
    })
  if (violations.length > 0)
    return yield* new InvalidRequest({ detail: detailOf(violations), errors: violations })
  return {
    filters,
    orders,
    limit: numberOf(query["limit"], ListLimits.default),
    offset: numberOf(query["offset"], OffsetLimits.default),
    after: Option.getOrNull(opened),
    fields: namesOf(query["fields"]),
    includes: namesOf(query["include"]) ?? [],
    search,
    purpose
  } satisfies ListRequest
})

/** The envelope of contract §1.2 around the records of a page. */
export const listPage = (
  cursors: Cursors["Service"],
  request: ListRequest,
  { counted, last, more, records, warnings }: ListRows
): ListPage => {
  const total = Math.min(counted, LIST_TOTAL_MAX)
  const rest = JSON.stringify({
    total,
    totalIsLowerBound: counted > LIST_TOTAL_MAX,
    limit: request.limit,
    offset: request.offset,
    hasMore: more,
    nextCursor: more && last !== null ? cursors.seal(request.purpose, last) : null,
    warnings
  })
  return { text: `{"data":[${records}],${rest.slice(1)}`, total }
}

/** The key breaks ties in the direction of the last order; without an order the newest come first. */
const totalOrder = (
  collection: Collection,
  requested: ReadonlyArray<ListOrder>
): ReadonlyArray<ListOrder> => {
  const key = keyField(collection)
  const newest: ReadonlyArray<ListOrder> =
    collection.defaultOrder !== undefined
      ? [collection.defaultOrder]
      : collection.fields["createdAt"] === undefined
        ? []
        : [{ field: "createdAt", direction: "desc" }]
  const orders = requested.length > 0 ? requested : newest
  return orders.some(({ field }) => field === key)
    ? orders
    : [...orders, { field: key, direction: orders.at(-1)?.direction ?? "desc" }]
}

const operatorOf = (text: string | undefined): Operator => operators.find((one) => one === text) ?? "eq"

const textOf = (value: QueryRecord[string]): string | null => (typeof value === "string" ? value : null)
const numberOf = (value: QueryRecord[string], otherwise: number): number =>
  typeof value === "number" ? value : otherwise
const namesOf = (value: QueryRecord[string]): ReadonlyArray<string> | null =>
  Array.isArray(value) ? value.map(String) : null
