// Rewrites schemas into equivalent forms that client generators understand.
import { isArray, type Json, type JsonObject, objectOf } from "./DocumentJson.ts"

const INT32_MAX = 2 ** 31 - 1

/** Without a format, generators for Java and Go use 32 bits. */
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

/** A list of one value becomes a constant, for which generators make no extra type. */
const withConstant = (schema: JsonObject): JsonObject => {
  const { enum: values, type, ...rest } = schema
  if (!isArray(values) || values.length !== 1 || typeof type !== "string") return schema
  const [value = null] = values
  return { type: Number.isInteger(value) ? "integer" : type, const: value, ...rest }
}

/** The strings "true" and "false" of a query parameter become a boolean. */
const withBoolean = (schema: JsonObject): JsonObject => {
  const { enum: values, ...rest } = schema
  return JSON.stringify(values) === '["true","false"]' ? { ...rest, type: "boolean" } : schema
}

/** Parts of `allOf` become members of the schema, unless a part is a reference or a member is repeated. */
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

/** "A value or null" becomes a list of two types. */
const withNullableType = (schema: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema
  if (!isArray(anyOf) || anyOf.length !== 2 || JSON.stringify(anyOf[1]) !== '{"type":"null"}') return schema
  const value = objectOf(anyOf[0])
  const isSimple =
    simpleTypes.includes(value["type"]) && value["enum"] === undefined && value["const"] === undefined
  return isSimple ? { ...value, type: [value["type"] ?? null, "null"], ...rest } : schema
}

/** A UUID needs no pattern in addition to its format, and Java generators fail on it. */
const withoutUuidPattern = (schema: JsonObject): JsonObject => {
  const { pattern: _, ...rest } = schema
  return schema["format"] === "uuid" ? rest : schema
}

/** Applies all rewrites to one object of the document. */
export const plainSchema = (schema: JsonObject): JsonObject =>
  withNullableType(withInt64(withConstant(withBoolean(withoutUuidPattern(withoutAllOf(schema))))))
