// Describes every property of the document: by its own description, that of its schema, or by its name.
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

/** By the name of the property, exceptions by schema and property, and parameters by name. */
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

/** The components with a description of every property. */
export const withDescriptions = (schemas: JsonObject): JsonObject =>
  mapMembers(schemas, (schema, component) => describe(schemas, component)(schema))

/** A parameter with a description, unless its schema has one. */
export const withParameterDescription = (parameter: JsonObject): JsonObject => {
  const description = descriptions.parameters[String(parameter["name"])]
  const isDescribed = objectOf(parameter["schema"])["description"] !== undefined
  return isDescribed || description === undefined ? parameter : { description, ...parameter }
}

/** The same for bodies and answers of operations. */
export const withDescriptionsOf = (schemas: JsonObject, json: Json): Json => describe(schemas, "")(json)
