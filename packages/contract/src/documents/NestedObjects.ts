// Gives each nested object a named schema, because generators handle inline objects badly.
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectOf,
  refPrefix
} from "./DocumentJson.ts"

/** `previous_client_appeals` → `PreviousClientAppeals`. */
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** `Memories` → `Memory`. */
const singular = (name: string): string => name.replace(/ies$/u, "y").replace(/(?<!s)s$/u, "")

/** The components with their nested objects as further components. Equal objects share the first name. */
export const withoutNestedObjects = (schemas: JsonObject): JsonObject => {
  const nested: Record<string, Json> = {}
  const names = new Map<string, string>()
  const refer = (schema: Json, name: string): Json => {
    if (objectOf(schema)["type"] !== "object" || objectOf(schema)["properties"] === undefined) return schema
    const text = JSON.stringify(schema)
    const known = names.get(text)
    if (known !== undefined) return { $ref: `${refPrefix}${known}` }
    if (nested[name] !== undefined || schemas[name] !== undefined)
      throw new Error(`the document has two schemas ${name}: give one an identifier`)
    names.set(text, name)
    nested[name] = schema
    return { $ref: `${refPrefix}${name}` }
  }
  const flatten = (schema: Json, name: string): Json => refer(flattenMembers(schema, name), name)
  const flattenMembers = (schema: Json, name: string): Json => {
    if (!isObject(schema)) return schema
    return mapMembers(schema, (member, key) => {
      if (key === "properties")
        return mapMembers(objectOf(member), (property, propertyName) =>
          flatten(property, name + pascal(propertyName))
        )
      if (key === "items" || key === "additionalProperties") return flatten(member, singular(name))
      return key === "anyOf" && isArray(member) ? member.map((one) => flatten(one, name)) : member
    })
  }
  const outer = mapMembers(schemas, flattenMembers)
  return { ...outer, ...nested }
}
