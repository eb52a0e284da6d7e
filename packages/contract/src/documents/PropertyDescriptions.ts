// Describes the document: every property by its own description, that of its schema, or by its name; records and parameters of lists.
import type { Operator } from "../lists/Collection.ts"
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectOf,
  refPrefix
} from "./DocumentJson.ts"
import texts from "./property-descriptions.json" with { type: "json" }

/** By the name of the property, by schema or by schema and property, and parameters by name. */
export const descriptions: Readonly<
  Record<"byName" | "bySchema" | "parameters", Readonly<Record<string, string>>>
> = texts

/** Adds a description to each property of a component. */
const describe =
  (schemas: JsonObject, component: string) =>
  (json: Json): Json => {
    if (isArray(json)) return json.map(describe(schemas, component))
    if (!isObject(json)) return json
    return mapMembers(json, (member, name) =>
      name === "properties" && json["type"] === "object"
        ? mapMembers(objectOf(member), (property, propertyName) =>
            withDescription(schemas, component, describe(schemas, component)(property), propertyName)
          )
        : describe(schemas, component)(member)
    )
  }

const withDescription = (schemas: JsonObject, component: string, property: Json, name: string): Json => {
  const schema = objectOf(property)
  const { $ref } = schema
  const target = typeof $ref === "string" ? objectOf(schemas[$ref.slice(refPrefix.length)]) : {}
  const description = descriptions.bySchema[`${component}.${name}`] ?? descriptions.byName[name]
  // The description of a time says only how it is written.
  const isDescribed =
    (schema["description"] !== undefined && schema["format"] !== "date-time") ||
    target["description"] !== undefined
  return isDescribed || description === undefined ? property : { ...schema, description }
}

/** The components with a description of every property, and of lists and their records. */
export const withDescriptions = (schemas: JsonObject): JsonObject =>
  mapMembers(schemas, (schema, component) => {
    const list = component.endsWith("List") ? "A page of a list" : undefined
    const description = descriptions.bySchema[component] ?? list
    const described = objectOf(describe(schemas, component)(schema))
    return description === undefined ? described : { description, ...described }
  })

/** What a filter requires of its field. */
const conditions: Readonly<Record<Operator, string>> = {
  eq: "equals the value",
  ne: "is empty or differs from the value",
  gt: "is greater than the value, or later",
  gte: "is at least the value",
  lt: "is less than the value, or earlier",
  lte: "is at most the value",
  in: "equals one of the values",
  nin: "is empty or equals none of the values",
  contains: "contains the text, ignoring case",
  startsWith: "begins with the text, ignoring case",
  isNull: "is empty (true) or has a value (false)"
}
const conditionOf = new Map(Object.entries(conditions))

/** The description of `filter[field][operator]` or `order[field]`. */
const describeListParameter = (name: string): string | undefined => {
  const [, kind, field, operator = "eq"] = /^(filter|order)\[(\w+)\](?:\[(\w+)\])?$/u.exec(name) ?? []
  if (kind === undefined) return undefined
  return kind === "order" ? `The order by ${field}` : `${field} ${conditionOf.get(operator)}`
}

/** A parameter with a description, unless its schema has one. */
export const withParameterDescription = (parameter: JsonObject): JsonObject => {
  const name = String(parameter["name"])
  const isDescribed = objectOf(parameter["schema"])["description"] !== undefined
  const description = describeListParameter(name) ?? (isDescribed ? undefined : descriptions.parameters[name])
  return description === undefined ? parameter : { description, ...parameter }
}

/** The same for bodies and answers of operations. */
export const withDescriptionsOf = (schemas: JsonObject, json: Json): Json => describe(schemas, "")(json)
