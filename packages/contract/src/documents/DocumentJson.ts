// JSON of the document, and the few ways in which it is walked over.

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

export const isArray = (json: Json | undefined): json is ReadonlyArray<Json> => Array.isArray(json)
export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !isArray(json)
export const objectOf = (json: Json | undefined): JsonObject => (isObject(json) ? json : {})
export const mapMembers = (object: JsonObject, f: (json: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, json]) => [name, f(json, name)]))
