// Names the unions of errors and the titled schemas of operations, because generators invent names for inline schemas.
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  mapOperations,
  objectOf,
  refPrefix,
  schemasOf,
  withComponents
} from "./DocumentJson.ts"

/** The word of each error in the name of a union, in the order of the name. Writes have IdempotencyInProgress and QuotaExceeded. */
const words: Readonly<Record<string, string>> = {
  ExternalEventConflict: "Event",
  SessionClosed: "Session",
  ClientNotSubscribed: "Subscription",
  StateNotAllowed: "State",
  StatusTransitionNotAllowed: "Transition",
  UniqueConflict: "Unique",
  VersionConflict: "Version",
  IdempotencyInProgress: "Write",
  IdempotencyKeyRequired: "Write",
  QuotaExceeded: "",
  InvalidRequest: "",
  QueryBudgetExceeded: ""
}
const suffixes: Readonly<Record<string, string>> = { 400: "BadRequest", 409: "Conflict" }

const errorOf = (schema: Json): string => String(objectOf(schema)["$ref"]).slice(refPrefix.length)

/** A union of errors with its title: `StateWriteConflict`. Other schemas are unchanged. */
const withErrorTitle = (schema: JsonObject, status: string): JsonObject => {
  const { anyOf } = schema
  const suffix = suffixes[status]
  if (!isArray(anyOf) || suffix === undefined) return schema
  const order = Object.keys(words)
  const errors = anyOf.toSorted((a, b) => order.indexOf(errorOf(a)) - order.indexOf(errorOf(b)))
  const parts = errors.map((error) => {
    const word = words[errorOf(error)]
    if (word === undefined) throw new Error(`NamedSchemas has no word for the error ${errorOf(error)}`)
    return word
  })
  return { ...schema, anyOf: errors, title: parts.join("") + suffix }
}

/** The document whose operations refer to every union of errors and every titled schema of a body or answer. */
export const withNamedSchemas = (document: JsonObject): JsonObject => {
  const schemas: Record<string, Json> = { ...schemasOf(document) }
  const refer = (json: Json): Json => {
    const { title, ...schema } = objectOf(json)
    if (typeof title !== "string") return json
    const { anyOf } = schema
    const component = isArray(anyOf) ? { ...schema, anyOf: anyOf.map(refer) } : schema
    const other = schemas[title]
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(component))
      throw new Error(`the document has two schemas ${title}`)
    schemas[title] = component
    return { $ref: refPrefix + title }
  }
  const withNamedSchema = (json: Json, status: string): Json => {
    const { content: media, ...rest } = objectOf(json)
    if (!isObject(media)) return json
    const withName = (one: Json): Json => {
      const { schema } = objectOf(one)
      return { ...objectOf(one), schema: refer(withErrorTitle(objectOf(schema), status)) }
    }
    return { ...rest, content: mapMembers(media, withName) }
  }
  const referring = mapOperations(document, (operation) =>
    mapMembers(operation, (member, name) => {
      if (name === "requestBody") return withNamedSchema(member, "")
      return name === "responses" ? mapMembers(objectOf(member), withNamedSchema) : member
    })
  )
  return withComponents(referring, { schemas })
}
