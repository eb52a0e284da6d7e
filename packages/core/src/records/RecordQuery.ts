// Decodes the query of a list, search or export by the fields of its model (contract §1.2, §9.2).
import type { Violation } from "@rapport/contract/Errors.ts"
import { SEARCH_DEPTH_MAX, SEARCH_MEMBERS_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import {
  type Collection,
  type Field,
  isOrdered,
  listQuery,
  noOtherParameters,
  operatorsOf,
  orderedFields,
  type OtherParameters,
  type QueryRecord,
  unknownParameter,
  type Value
} from "@rapport/contract/lists/Collection.ts"
import { anyRecords, type SearchRequest } from "@rapport/contract/records/CustomRecord.ts"
import { collectParameterFaults, isUnknown } from "@rapport/contract/values/CollectFaults.ts"
import { type Fault, strictFirst } from "@rapport/contract/values/Faults.ts"
import { Predicate, Result, Schema } from "effect"
import { readConditionValue } from "../lists/ConditionValue.ts"
import type { RecordCondition } from "./RecordStore.ts"

type Parameters = Readonly<Record<string, unknown>>
export type DecodedQuery = { readonly query: QueryRecord } | { readonly faults: ReadonlyArray<Fault> }

export const decodeQuery = (
  collection: Collection,
  parameters: Parameters,
  others: OtherParameters = noOtherParameters
): DecodedQuery => {
  // A schema without members would accept any parameters, so one is always decoded.
  const isDecoded = (name: string) =>
    name === "order[id]" || (Object.hasOwn(parameters, name) && !others.left.includes(name))
  const schema = Schema.Struct(listQuery(collection, isDecoded))
  const decoded = Schema.decodeUnknownResult(schema, strictFirst)(parameters)
  if (Result.isSuccess(decoded)) {
    return {
      query: Object.fromEntries(
        Object.entries(decoded.success).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]]
        )
      )
    }
  }
  return {
    faults: collectParameterFaults(schema, parameters).map((fault) =>
      fault.message === isUnknown
        ? { ...fault, message: unknownParameter(collection, fault.path, others) }
        : fault
    )
  }
}

/** Leaves out the parameters of fields that not every model has. */
export const ofEveryModel = (parameters: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).filter(([name]) => {
      const field = fieldParameter.exec(name)?.slice(1).find(Predicate.isNotUndefined)
      return field === undefined || Object.hasOwn(anyRecords.fields, field)
    })
  )
const fieldParameter =
  /^(?:filter\[([a-zA-Z][a-zA-Z0-9_]{0,62})\](?:\[[a-zA-Z]+\])?|order\[([a-zA-Z][a-zA-Z0-9_]{0,62})\])$/u

class WhereReader {
  readonly violations: Array<Violation> = []
  private readonly fields: ReadonlyMap<string, Field>

  constructor(collection: Collection) {
    this.fields = new Map(Object.entries(collection.fields))
  }

  private fault(path: string, message: string): RecordCondition {
    if (this.violations.length < VIOLATIONS_MAX) this.violations.push({ path, message })
    return { and: [] }
  }

  group(group: Parameters, path: string, depth: number): RecordCondition {
    const [word, ...others] = Object.keys(group)
    if (others.length > 0 || (word !== "and" && word !== "or"))
      return this.fault(path, "must have either and or or, and nothing else")
    const members = group[word]
    if (depth > SEARCH_DEPTH_MAX)
      return this.fault(path, `must not be nested more than ${SEARCH_DEPTH_MAX} deep`)
    if (!Array.isArray(members) || members.length < 1 || members.length > SEARCH_MEMBERS_MAX)
      return this.fault(`${path}.${word}`, `must be an array of 1 to ${SEARCH_MEMBERS_MAX} members`)
    const read = members.map((member: unknown, i) => this.member(member, `${path}.${word}[${i}]`, depth))
    return word === "and" ? { and: read } : { or: read }
  }

  private member(member: unknown, path: string, depth: number): RecordCondition {
    if (!Predicate.isReadonlyObject(member)) return this.fault(path, "must be an object")
    return Object.hasOwn(member, "and") || Object.hasOwn(member, "or")
      ? this.group(member, path, depth + 1)
      : this.condition(member, path)
  }

  private condition(condition: Parameters, path: string): RecordCondition {
    const { field: name, op, value, ...others } = condition
    for (const other of Object.keys(others)) this.fault(`${path}.${other}`, "is unknown")
    const field = typeof name === "string" ? this.fields.get(name) : undefined
    if (field === undefined || typeof name !== "string")
      return this.fault(`${path}.field`, `must be one of ${[...this.fields.keys()].join(", ")}`)
    const operator = operatorsOf(field).find((one) => one === op)
    if (operator === undefined)
      return this.fault(`${path}.op`, `must be one of ${operatorsOf(field).join(", ")}`)
    const read = readConditionValue(field, operator, value)
    return "message" in read
      ? this.fault(`${path}.value`, read.message)
      : { field: name, operator, value: read.value }
  }
}

/** Converts a search to the query of a list. */
export const readSearch = (collection: Collection, request: SearchRequest) => {
  const reader = new WhereReader(collection)
  const where = request.where === undefined ? null : reader.group(request.where, "where", 1)
  const violations = [...reader.violations]
  const query: Record<string, Value> = {}
  for (const [i, { direction, field }] of (request.order ?? []).entries()) {
    const known = Object.entries(collection.fields).find(([name]) => name === field)?.[1]
    const name = `order[${field}]`
    if (known === undefined || !isOrdered(known))
      violations.push({
        path: `order[${i}].field`,
        message: `must be one of ${orderedFields(collection).join(", ")}`
      })
    else if (query[name] !== undefined)
      violations.push({ path: `order[${i}].field`, message: "must be given once" })
    query[name] = direction
  }
  if (request.limit !== undefined) query["limit"] = request.limit
  if (request.cursor !== undefined) query["cursor"] = request.cursor
  return { where, query, violations }
}

/** Faults that do not depend on the model: all except unknown fields. */
export const searchFaults = (request: SearchRequest): ReadonlyArray<Violation> =>
  readSearch(anyRecords, request).violations.filter(({ path }) => !path.endsWith(".field"))
