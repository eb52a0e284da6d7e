// The machine-readable description: what the framework derives from the Api, made exact where it says less than the contract.
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { commaListKey, integerKey, shownKey } from "../values/Numbers.ts"
import { isoOf } from "../values/Time.ts"
import { enumSchemas, withEnumName } from "./EnumNames.ts"
import { withoutNestedObjects } from "./NestedObjects.ts"
import { withDescriptions, withDescriptionsOf } from "./PropertyDescriptions.ts"
import { plainSchema } from "./PlainSchemas.ts"
import { isArray, isObject, type Json, type JsonObject, mapMembers, objectOf } from "./DocumentJson.ts"
import { methods, withSharedComponents } from "./SharedComponents.ts"

/** Every object of the document, from the leaves up. */
const rewrite =
  (f: (object: JsonObject) => JsonObject) =>
  (json: Json): Json =>
    isArray(json)
      ? json.map(rewrite(f))
      : isObject(json)
        ? f(mapMembers(json, (member) => rewrite(f)(member)))
        : json

const prefix = "#/components/schemas/"

/** A class of the vocabulary is described by its encoded side, which the framework names `XEncoded`: here it is X. */
const plainNames = (document: JsonObject): JsonObject => {
  const components = objectOf(document["components"])
  const schemas = objectOf(components["schemas"])
  const plain = (name: string): string => {
    const short = name.replace(/Encoded$/u, "")
    return short === name || schemas[short] !== undefined ? name : short
  }
  const renamed = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [plain(name), schema]))
  return objectOf(
    rewrite((object) => {
      const ref = object["$ref"]
      return typeof ref === "string" && ref.startsWith(prefix)
        ? { ...object, $ref: prefix + plain(ref.slice(prefix.length)) }
        : object
    })({ ...document, components: { ...components, schemas: renamed } })
  )
}

/** An array says what its items are, also where they may be anything. */
const withItems = (object: JsonObject): JsonObject =>
  object["type"] === "array" && object["items"] === undefined ? { ...object, items: {} } : object

/** A number written in plain digits is described as the integer it is. */
const asInteger = (schema: JsonObject): JsonObject => {
  const integer = schema[integerKey]
  if (!isObject(integer)) return schema
  const { [integerKey]: _, pattern: __, examples: ___, ...rest } = schema
  return { ...rest, ...integer, type: "integer" }
}

/** A text with commas is described as the list that it is. */
const asCommaList = (schema: JsonObject): JsonObject => {
  const list = schema[commaListKey]
  if (!isObject(list)) return schema
  const { [commaListKey]: _, ...rest } = schema
  return { ...rest, type: "array", minItems: 1, ...list }
}

/** A text that is judged later is described as it will be judged, a union in the words that it is annotated with. */
const asShown = (schema: JsonObject): JsonObject => {
  const { [shownKey]: shown, anyOf: _, ...rest } = schema
  return isObject(shown) ? { ...rest, ...shown } : schema
}

/** What is never walked is described as anything by the framework; it takes objects alone. */
const asFreeObject = (schema: Json, name: string): Json =>
  name.startsWith("FreeObject") ? { type: "object", additionalProperties: true, ...objectOf(schema) } : schema

/** Every problem document has these, wherever it was made (contract §1.1). */
const withProblemMembers = (schema: Json): Json => {
  const { properties, required } = objectOf(schema)
  const isProblem =
    isArray(required) && objectOf(properties)["code"] !== undefined && required.includes("type")
  return isProblem
    ? {
        ...objectOf(schema),
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

/** Examples are written as they are inside, where a time is a number; in a document it is a text. */
const withTimes = (schema: JsonObject): JsonObject => {
  const { examples, properties } = schema
  if (!isArray(examples) || !isObject(properties)) return schema
  const shown = (value: Json, name: string): Json =>
    typeof value === "number" && objectOf(properties[name])["format"] === "date-time" ? isoOf(value) : value
  return {
    ...schema,
    examples: examples.map((example) => (isObject(example) ? mapMembers(example, shown) : example))
  }
}

/**
 * The first example of a schema is also beside it, where tools expect it. Headers that may be left out have none:
 * the page would send them, and a key for every command or a version that contradicts the body would be wrong.
 */
const withExample = (given: JsonObject, schemas: JsonObject): JsonObject => {
  const isOptionalHeader = given["in"] === "header" && given["required"] !== true
  const holder = isOptionalHeader ? { ...given, schema: withoutExamples(objectOf(given["schema"])) } : given
  const schema = objectOf(holder["schema"])
  const ref = schema["$ref"]
  const target = typeof ref === "string" ? objectOf(schemas[ref.slice(prefix.length)]) : schema
  const examples = schema["examples"] ?? target["examples"]
  const fallback = target["default"] ?? (holder["in"] === "path" ? target["minimum"] : undefined)
  const example = isArray(examples) ? examples[0] : fallback
  return {
    ...holder,
    // The usual style repeats a name for every value of a list, and no name may be repeated.
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

/** Headers that no endpoint sets by itself. */
const headers: JsonObject = {
  RequestId: header("The id of this request, as given or made", "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"),
  RetryAfter: header("Whole seconds until it is worth trying again", "1"),
  RateLimit: header("What is left of the quota, and seconds until it is whole", '"rest";r=599;t=1'),
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

/** Where every member is optional the body may be absent. */
const mayBeAbsent = (body: JsonObject, schemas: JsonObject): boolean => {
  const schema = objectOf(objectOf(objectOf(body["content"])["application/json"])["schema"])
  const named = typeof schema["$ref"] === "string" ? schemas[schema["$ref"].split("/").at(-1) ?? ""] : schema
  const { properties, required } = objectOf(named)
  return properties !== undefined && required === undefined
}

const operations = (document: JsonObject): JsonObject => {
  const schemas = objectOf(objectOf(document["components"])["schemas"])
  const operation = (json: Json): Json => {
    const op = objectOf(json)
    const isSecured = isArray(op["security"]) && op["security"].length > 0
    const body = objectOf(op["requestBody"])
    return {
      ...op,
      parameters: isArray(op["parameters"])
        ? op["parameters"].map((one) => withExample(objectOf(one), schemas))
        : [],
      ...(op["requestBody"] === undefined
        ? {}
        : {
            requestBody: {
              ...body,
              required: !mayBeAbsent(body, schemas),
              content: mapMembers(objectOf(body["content"]), (media) => withExample(objectOf(media), schemas))
            }
          }),
      responses: mapMembers(objectOf(op["responses"]), (response, status) =>
        withHeaders(response, status, isSecured)
      )
    }
  }
  const path = (item: Json): Json =>
    mapMembers(objectOf(item), (json, name) => (methods.includes(name) ? operation(json) : json))
  return { ...document, paths: mapMembers(objectOf(document["paths"]), path) }
}

/** With the named lists among the components, which do not refer to themselves, and a description of every property. */
const completed = (document: JsonObject): JsonObject => {
  const components = objectOf(document["components"])
  const schemas = { ...objectOf(components["schemas"]), ...enumSchemas }
  return {
    ...document,
    paths: withDescriptionsOf(schemas, document["paths"] ?? {}),
    components: { ...components, schemas: withoutNestedObjects(withDescriptions(schemas)) }
  }
}

const asJson = Schema.decodeUnknownSync(Schema.Json)
const ours = [integerKey, commaListKey, shownKey]
const options = { includeAnnotationKey: (key: string) => ours.includes(key) }

/** OpenAPI 3.1 of the whole Api, each operation with its parameters and answers in place. */
export const expandedDocument = (): JsonObject => {
  const derived = plainNames(objectOf(asJson(JSON.parse(JSON.stringify(OpenApi.fromApi(Api, options))))))
  const components = objectOf(derived["components"])
  const described = {
    ...derived,
    info: { ...objectOf(derived["info"]), contact: { name: "The maintainers of Rapport" } },
    components: {
      ...components,
      headers,
      schemas: mapMembers(objectOf(components["schemas"]), (schema, name) =>
        asFreeObject(withProblemMembers(schema), name)
      )
    }
  }
  const plain = objectOf(
    rewrite((object) =>
      withEnumName(plainSchema(withTimes(asInteger(asCommaList(withItems(asShown(object)))))))
    )(described)
  )
  return operations(completed(plain))
}

/** The same as `GET /swagger.json` serves it and `openapi.json` holds it (contract §1): half as long. */
export const openApiDocument = (): JsonObject => withSharedComponents(expandedDocument())
