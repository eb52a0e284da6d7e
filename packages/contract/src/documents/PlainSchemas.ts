// Rewrites schemas of the document into forms that client generators understand, without a change of what they admit.
import { isArray, type Json, type JsonObject, objectOf } from "./DocumentJson.ts"

const INT32_MAX = 2 ** 31 - 1

/** Without a format, generators for Java and Go take an integer of 32 bits. */
const withInt64 = (schema: JsonObject): JsonObject => {
  const { maximum, minimum } = schema
  const isInt32 =
    typeof maximum === "number" &&
    maximum <= INT32_MAX &&
    typeof minimum === "number" &&
    minimum >= -INT32_MAX
  return schema["type"] === "integer" && schema["const"] === undefined && !isInt32
    ? { ...schema, format: "int64" }
    : schema
}

/** A list of one value is a constant: generators would make a type of its own from each. */
const withConstant = (schema: JsonObject): JsonObject => {
  const { enum: values, type, ...rest } = schema
  if (!isArray(values) || values.length !== 1 || typeof type !== "string") return schema
  const [value = null] = values
  return { type: Number.isInteger(value) ? "integer" : type, const: value, ...rest }
}

/** Generators make `true` and `false` of a query parameter from a boolean. */
const withBoolean = (schema: JsonObject): JsonObject => {
  const { enum: values, ...rest } = schema
  return JSON.stringify(values) === '["true","false"]' ? { ...rest, type: "boolean" } : schema
}

/** Parts of `allOf` become members of the schema, unless one of them is a reference or is repeated. */
const withoutAllOf = (schema: JsonObject): JsonObject => {
  const { allOf, ...rest } = schema
  if (!isArray(allOf)) return schema
  const parts = [rest, ...allOf.map(objectOf)]
  const names = parts.flatMap(Object.keys)
  return new Set(names).size === names.length && !names.includes("$ref")
    ? parts.reduce((all, part) => ({ ...all, ...part }), {})
    : schema
}

const simpleTypes: ReadonlyArray<Json | undefined> = ["string", "integer", "number", "boolean", "array"]

/** A value or null is a type of two names, as people write it. */
const withNullableType = (schema: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema
  if (!isArray(anyOf) || anyOf.length !== 2 || JSON.stringify(anyOf[1]) !== '{"type":"null"}') return schema
  const value = objectOf(anyOf[0])
  const isSimple =
    simpleTypes.includes(value["type"]) && value["enum"] === undefined && value["const"] === undefined
  return isSimple ? { ...value, type: [value["type"] ?? null, "null"], ...rest } : schema
}

/** The format says all that the pattern of a UUID says; a pattern of a type that is no text stops generators for Java. */
const withoutUuidPattern = (schema: JsonObject): JsonObject => {
  const { pattern: _, ...rest } = schema
  return schema["format"] === "uuid" ? rest : schema
}

/** An object of the document in plain form. */
export const plainSchema = (schema: JsonObject): JsonObject =>
  withNullableType(withInt64(withConstant(withBoolean(withoutUuidPattern(withoutAllOf(schema))))))
