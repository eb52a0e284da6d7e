// JSON of the document, and the few ways in which it is walked over.

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

export const isArray = (json: Json | undefined): json is ReadonlyArray<Json> => Array.isArray(json)
export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !isArray(json)
export const objectOf = (json: Json | undefined): JsonObject => (isObject(json) ? json : {})
export const arrayOf = (json: Json | undefined): ReadonlyArray<Json> => (isArray(json) ? json : [])
export const mapMembers = (object: JsonObject, f: (json: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, json]) => [name, f(json, name)]))

/** The start of a reference to a named schema. */
export const refPrefix = "#/components/schemas/"

export const schemasOf = (document: JsonObject): JsonObject =>
  objectOf(objectOf(document["components"])["schemas"])
export const withComponents = (document: JsonObject, components: JsonObject): JsonObject => ({
  ...document,
  components: { ...objectOf(document["components"]), ...components }
})
export const mapOperations = (
  document: JsonObject,
  f: (operation: JsonObject) => JsonObject
): JsonObject => ({
  ...document,
  paths: mapMembers(objectOf(document["paths"]), (item) =>
    mapMembers(objectOf(item), (operation) => f(objectOf(operation)))
  )
})
