// The OpenAPI document is suitable for client generators (contract §1, "Documents").
import { assert, describe, it } from "@effect/vitest"
import { isArray, isObject, type Json, type JsonObject, objectOf } from "./DocumentJson.ts"
import { descriptions } from "./PropertyDescriptions.ts"
import { openApiDocument } from "./OpenApiDocument.ts"

const document = openApiDocument()
const schemas = objectOf(objectOf(document["components"])["schemas"])

/** Visits every object of the document with its place. */
const walk = (json: Json, visit: (object: JsonObject, place: string) => void, place = "#"): void => {
  if (isObject(json)) visit(json, place)
  if (isObject(json) || isArray(json))
    for (const [name, member] of Object.entries(json)) walk(member, visit, `${place}/${name}`)
}
const placesWhere = (
  isWrong: (object: JsonObject) => boolean,
  json: Json = document
): ReadonlyArray<string> => {
  const places: Array<string> = []
  walk(json, (object, place) => {
    if (isWrong(object)) places.push(place)
  })
  return places
}

/** The names of the schemas that a schema refers to, directly or not. */
const reachable = (schema: Json, found = new Set<string>()): ReadonlySet<string> => {
  walk(schema, ({ $ref }) => {
    const name = String($ref).split("/schemas/")[1]
    if (name === undefined || found.has(name)) return
    found.add(name)
    reachable(schemas[name] ?? null, found)
  })
  return found
}

const operations: Json = [document["paths"] ?? null, objectOf(document["components"])["responses"] ?? null]

const bodiesOf = (method: string): ReadonlyArray<Json> =>
  Object.values(objectOf(document["paths"])).flatMap((item) => {
    const body = objectOf(objectOf(item)[method])["requestBody"]
    return body === undefined ? [] : [body]
  })

const isNullable = ({ anyOf }: JsonObject) =>
  isArray(anyOf) &&
  anyOf.length === 2 &&
  anyOf.some((one) => objectOf(one)["type"] === "null") &&
  anyOf.some((one) => ["string", "integer", "number", "boolean"].includes(String(objectOf(one)["type"])))

const isUnion = (schema: Json | undefined) => isArray(objectOf(schema)["anyOf"])

describe("the document for client generators", () => {
  it.each(["patch", "put"])("has no default in the body of a %s", (method) => {
    const bodies = bodiesOf(method)
    assert.isNotEmpty(bodies)
    const names = bodies.flatMap((body) => [...reachable(body)])
    const changes = [...bodies, ...names.map((name) => schemas[name] ?? null)]
    assert.deepStrictEqual(
      placesWhere((object) => "default" in object, changes),
      []
    )
  })

  it("has a format of 64 bits on every integer that may need them", () => {
    const wrong = placesWhere((object) => {
      const { maximum, minimum, type } = object
      const isInteger = type === "integer" || (isArray(type) && type.includes("integer"))
      if (!isInteger || typeof object["const"] === "number") return false
      const isSmall = Number(maximum ?? Infinity) < 2 ** 31 && Number(minimum ?? -Infinity) >= -(2 ** 31)
      return (object["format"] === "int64") === isSmall
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("has a schema for every enum that it uses twice, and no enum of one value", () => {
    const lists = new Map<string, Array<string>>()
    walk(document, ({ enum: values }, place) => {
      if (!isArray(values)) return
      const key = JSON.stringify(values)
      lists.set(key, [...(lists.get(key) ?? []), place])
    })
    assert.isAbove(lists.size, 20)
    const wrong = [...lists].filter(([key, places]) => places.length > 1 || JSON.parse(key).length < 2)
    assert.deepStrictEqual(wrong, [])
  })

  it("describes the status of every problem as its integer", () => {
    const problems = Object.values(schemas).flatMap((schema) => {
      const { requestId, status, title } = objectOf(objectOf(schema)["properties"])
      return requestId === undefined || title === undefined ? [] : [objectOf(status)]
    })
    assert.isAbove(problems.length, 20)
    for (const { const: status, type } of problems) {
      assert.strictEqual(type, "integer")
      assert.isTrue(Number.isInteger(status))
    }
  })

  it("has neither allOf nor values that JSON does not have", () => {
    assert.deepStrictEqual(
      placesWhere(({ allOf }) => allOf !== undefined),
      []
    )
    assert.notMatch(JSON.stringify(document), /"(?:-?Infinity|NaN)"/u)
  })

  it("has a simple value or null as one type, and a UUID as a format", () => {
    assert.deepStrictEqual(placesWhere(isNullable), [])
    assert.deepStrictEqual(
      placesWhere(({ format, pattern }) => format === "uuid" && pattern !== undefined),
      []
    )
  })

  it("refers from the rows of a list to their record", () => {
    const lists = Object.values(schemas).flatMap((schema) => {
      const { data, totalIsLowerBound } = objectOf(objectOf(schema)["properties"])
      return totalIsLowerBound === undefined ? [] : [objectOf(objectOf(data)["items"])]
    })
    assert.isAbove(lists.length, 20)
    for (const items of lists) assert.deepStrictEqual(Object.keys(items), ["$ref"])
  })

  it("has a schema with a name for every object inside another or in an operation", () => {
    const inside = Object.values(schemas).flatMap((schema) => Object.values(objectOf(schema)))
    assert.deepStrictEqual(
      placesWhere(({ properties, type }) => type === "object" && isObject(properties), [inside, operations]),
      []
    )
  })

  it("has a schema with a name for every union that generators would have to name", () => {
    assert.deepStrictEqual(
      placesWhere(({ additionalProperties, items }) => isUnion(items) || isUnion(additionalProperties)),
      []
    )
    assert.deepStrictEqual(
      placesWhere(({ schema }) => isUnion(schema), operations),
      []
    )
  })

  it("has no name that a generator could have invented", () => {
    const names = Object.values(objectOf(document["components"])).flatMap((kind) =>
      Object.keys(objectOf(kind))
    )
    assert.isAbove(names.length, 500)
    const invented = /\d|inline|anyOf|oneOf|allOf|inner$|(?:request|response)body|response$/iu
    assert.deepStrictEqual(
      names.filter((name) => invented.test(name)),
      []
    )
  })

  it("has a description of every property", () => {
    const wrong: Array<string> = []
    walk(document, ({ properties, type }, place) => {
      if (type !== "object") return
      for (const [name, property] of Object.entries(objectOf(properties))) {
        const { $ref, description } = objectOf(property)
        const target = objectOf(schemas[String($ref).split("/").at(-1) ?? ""])
        if ((description ?? target["description"]) === undefined) wrong.push(`${place} ${name}`)
      }
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("has a description of every list and its records", () => {
    const lists = Object.keys(schemas).filter((name) => name.endsWith("List"))
    const names = lists.flatMap((name) => {
      const { data } = objectOf(objectOf(schemas[name])["properties"])
      return [
        name,
        String(objectOf(objectOf(data)["items"])["$ref"])
          .split("/")
          .at(-1) ?? ""
      ]
    })
    assert.include(names, "ListedChat")
    assert.deepStrictEqual(
      names.filter((name) => objectOf(schemas[name])["description"] === undefined),
      []
    )
  })

  it("has a description of every parameter", () => {
    const wrong = placesWhere((object) => {
      const { description, schema } = object
      const isParameter = object["in"] === "path" || object["in"] === "query"
      return isParameter && (description ?? objectOf(schema)["description"]) === undefined
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("uses every description of properties and parameters", () => {
    const text = JSON.stringify(document)
    const unused = Object.entries({
      ...descriptions.byName,
      ...descriptions.bySchema,
      ...descriptions.parameters
    }).filter(([, description]) => !text.includes(JSON.stringify(description)))
    assert.deepStrictEqual(unused, [])
  })
})
