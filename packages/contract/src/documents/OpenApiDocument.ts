// The OpenAPI document: derived from the Api by the framework, and completed where that is less than the contract.
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { commaListKey, integerKey, shownKey } from "../values/Numbers.ts"
import { isoOf } from "../values/Time.ts"
import { enumSchemas, withEnumName } from "./EnumNames.ts"
import { withNamedSchemas } from "./NamedSchemas.ts"
import { withoutNestedObjects } from "./NestedObjects.ts"
import { withDescriptions, withDescriptionsOf, withParameterDescription } from "./PropertyDescriptions.ts"
import { plainSchema } from "./PlainSchemas.ts"
import {
  arrayOf,
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
import { withSharedComponents } from "./SharedComponents.ts"

/** Every object of the document, from the leaves up. */
const rewrite =
  (f: (object: JsonObject) => JsonObject) =>
  (json: Json): Json =>
    isArray(json)
      ? json.map(rewrite(f))
      : isObject(json)
        ? f(mapMembers(json, (member) => rewrite(f)(member)))
        : json

/** The framework names the schema of an error class `XEncoded`. Renames it to X. */
const plainNames = (document: JsonObject): JsonObject => {
  const schemas = schemasOf(document)
  const plain = (name: string): string => {
    const short = name.replace(/Encoded$/u, "")
    return short === name || schemas[short] !== undefined ? name : short
  }
  const renamed = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [plain(name), schema]))
  return objectOf(
    rewrite((object) => {
      const ref = object["$ref"]
      return typeof ref === "string" && ref.startsWith(refPrefix)
        ? { ...object, $ref: refPrefix + plain(ref.slice(refPrefix.length)) }
        : object
    })(withComponents(document, { schemas: renamed }))
  )
}

/** Adds `items` to arrays of anything. */
const withItems = (object: JsonObject): JsonObject =>
  object["type"] === "array" && object["items"] === undefined ? { ...object, items: {} } : object

/** Describes a number written in digits as an integer. */
const asInteger = (schema: JsonObject): JsonObject => {
  const integer = schema[integerKey]
  if (!isObject(integer)) return schema
  const { [integerKey]: _, pattern: __, examples: ___, ...rest } = schema
  return { ...rest, ...integer, type: "integer" }
}

/** Describes values separated by commas as an array. */
const asCommaList = (schema: JsonObject): JsonObject => {
  const list = schema[commaListKey]
  if (!isObject(list)) return schema
  const { [commaListKey]: _, ...rest } = schema
  return { ...rest, type: "array", minItems: 1, ...list }
}

/** Replaces a schema by the description that it is annotated with. */
const asShown = (schema: JsonObject): JsonObject => {
  const { [shownKey]: shown, anyOf: _, ...rest } = schema
  return isObject(shown) ? { ...rest, ...shown } : schema
}

/** The framework describes a free object as a value of any type, but only objects are accepted. */
const asFreeObject = (schema: Json, name: string): Json =>
  name.endsWith("FreeObject") ? { type: "object", additionalProperties: true, ...objectOf(schema) } : schema

const problemMembers = {
  type: "A URI of the kind of problem",
  title: "The kind of problem",
  status: "The HTTP status",
  code: "The kind of problem, for programs"
}

/** Members that every problem document has (contract §1.1). */
const withProblemMembers = (schema: Json): Json => {
  const { properties, required } = objectOf(schema)
  const isProblem =
    isArray(required) && objectOf(properties)["code"] !== undefined && required.includes("type")
  return isProblem
    ? {
        ...objectOf(schema),
        properties: {
          ...objectOf(properties),
          ...mapMembers(problemMembers, (description, name) => ({
            ...objectOf(objectOf(properties)[name]),
            description
          }))
        },
        required: [
          "type",
          "title",
          "status",
          "code",
          "detail",
          "requestId",
          ...required.filter((name) => name !== "type" && name !== "code" && name !== "detail")
        ]
      }
    : schema
}

/** Examples in the code have times as numbers. The document shows texts. */
const withTimes = (schema: JsonObject): JsonObject => {
  const { examples, properties } = schema
  if (!isArray(examples) || !isObject(properties)) return schema
  const withTime = (value: Json, name: string): Json =>
    typeof value === "number" && objectOf(properties[name])["format"] === "date-time" ? isoOf(value) : value
  return {
    ...schema,
    examples: examples.map((example) => (isObject(example) ? mapMembers(example, withTime) : example))
  }
}

/**
 * Copies the first example of a schema next to it, where tools expect it. Optional headers have no example, because the
 * documentation page would send it: an Idempotency-Key for every command, or a version that contradicts the body.
 */
const withExample = (given: JsonObject, schemas: JsonObject): JsonObject => {
  const isOptionalHeader = given["in"] === "header" && given["required"] !== true
  const holder = isOptionalHeader ? { ...given, schema: withoutExamples(objectOf(given["schema"])) } : given
  const schema = objectOf(holder["schema"])
  const ref = schema["$ref"]
  const target = typeof ref === "string" ? objectOf(schemas[ref.slice(refPrefix.length)]) : schema
  const examples = schema["examples"] ?? target["examples"]
  const fallback = target["default"] ?? (holder["in"] === "path" ? target["minimum"] : undefined)
  const example = isArray(examples) ? examples[0] : fallback
  return {
    ...holder,
    // The default style repeats the name for every value, which the service refuses.
    ...(holder["in"] === "query" && schema["type"] === "array" ? { style: "form", explode: false } : {}),
    schema,
    ...(example === undefined ? {} : { example })
  }
}

const withoutExamples = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "examples"))

const header = (description: string, example: string): JsonObject => ({
  description,
  schema: { type: "string" },
  example
})

/** Headers of all endpoints. */
const headers: JsonObject = {
  RequestId: header("The id of the request, as sent or generated", "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"),
  RetryAfter: header("Seconds until a retry makes sense", "1"),
  RateLimit: header("The rest of the quota, and seconds until it is complete", '"rest";r=599;t=1'),
  RateLimitPolicy: header("The quota of the route: requests in a window of seconds", '"rest";q=600;w=60'),
  WwwAuthenticate: header("How to authenticate", "Bearer")
}
const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

const withHeaders = (response: Json, status: string, isSecured: boolean): Json => ({
  ...objectOf(response),
  headers: {
    ...objectOf(objectOf(response)["headers"]),
    "X-Request-Id": headerRef("RequestId"),
    ...(status === "401" ? { "WWW-Authenticate": headerRef("WwwAuthenticate") } : {}),
    ...(["429", "503"].includes(status) ? { "Retry-After": headerRef("RetryAfter") } : {}),
    ...(isSecured && !["401", "408", "431"].includes(status)
      ? { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimitPolicy") }
      : {})
  }
})

/** Whether the body may be absent: all its members are optional, and no rule requires one of them. */
const mayBeAbsent = (body: JsonObject, schemas: JsonObject): boolean => {
  const schema = objectOf(objectOf(objectOf(body["content"])["application/json"])["schema"])
  const named = typeof schema["$ref"] === "string" ? schemas[schema["$ref"].split("/").at(-1) ?? ""] : schema
  const { minProperties, properties, required } = objectOf(named)
  return properties !== undefined && required === undefined && minProperties === undefined
}

const withOperations = (document: JsonObject): JsonObject => {
  const schemas = schemasOf(document)
  return mapOperations(document, (operation) => {
    const isSecured = arrayOf(operation["security"]).length > 0
    const body = objectOf(operation["requestBody"])
    const requestBody = {
      ...body,
      required: !mayBeAbsent(body, schemas),
      content: mapMembers(objectOf(body["content"]), (media) => withExample(objectOf(media), schemas))
    }
    return {
      ...operation,
      parameters: arrayOf(operation["parameters"]).map((one) =>
        withExample(withParameterDescription(objectOf(one)), schemas)
      ),
      ...(operation["requestBody"] === undefined ? {} : { requestBody }),
      responses: mapMembers(objectOf(operation["responses"]), (response, status) =>
        withHeaders(response, status, isSecured)
      )
    }
  })
}

/** Adds the named lists to the components, and a description to every property. */
const withEnumsAndDescriptions = (document: JsonObject): JsonObject => {
  const schemas = { ...schemasOf(document), ...enumSchemas }
  const described = { ...document, paths: withDescriptionsOf(schemas, document["paths"] ?? {}) }
  return withComponents(described, { schemas: withoutNestedObjects(withDescriptions(schemas)) })
}

const asJson = Schema.decodeUnknownSync(Schema.Json)
const ours = [integerKey, commaListKey, shownKey]
const options = { includeAnnotationKey: (key: string) => ours.includes(key) }

/** The document with parameters and answers in each operation. */
export const expandedDocument = (): JsonObject => {
  const derived = plainNames(objectOf(asJson(JSON.parse(JSON.stringify(OpenApi.fromApi(Api, options))))))
  const info = { ...objectOf(derived["info"]), contact: { name: "The maintainers of Rapport" } }
  const schemas = mapMembers(schemasOf(derived), (schema, name) =>
    asFreeObject(withProblemMembers(schema), name)
  )
  const described = withComponents({ ...derived, info }, { headers, schemas })
  const plain = objectOf(
    rewrite((object) =>
      withEnumName(plainSchema(withTimes(asInteger(asCommaList(withItems(asShown(object)))))))
    )(described)
  )
  return withOperations(withEnumsAndDescriptions(withNamedSchemas(plain)))
}

/** The document of `GET /swagger.json` and `openapi.json` (contract §1, "Documents"). */
export const openApiDocument = (): JsonObject => withSharedComponents(expandedDocument())
