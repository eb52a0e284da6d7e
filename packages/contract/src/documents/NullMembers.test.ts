// null in the bodies of writes: a POST accepts none, a PATCH accepts those that a GET returns (contract §1.3).
import { assert, describe, it } from "@effect/vitest"
import { arrayOf, isObject, type Json, type JsonObject, objectOf } from "./DocumentJson.ts"
import { expandedDocument } from "./OpenApiDocument.ts"

const document = expandedDocument()
const schemas = objectOf(objectOf(document["components"])["schemas"])

const resolve = (json: Json | undefined): JsonObject => {
  const schema = objectOf(json)
  const reference = schema["$ref"]
  return typeof reference === "string"
    ? resolve(schemas[reference.slice("#/components/schemas/".length)])
    : schema
}

/** The schema, and the schemas it consists of. */
const alternatives = (json: Json | undefined): ReadonlyArray<JsonObject> => {
  const schema = resolve(json)
  const parts = ["anyOf", "oneOf", "allOf"].flatMap((name) => arrayOf(schema[name]))
  return [schema, ...parts.flatMap(alternatives)]
}
const acceptsNull = (json: Json | undefined): boolean =>
  alternatives(json).some(({ type }) => type === "null" || arrayOf(type).includes("null"))

/** Each member of a body by its path, `fields[].target`. */
const membersOf = (json: Json | undefined, path = ""): ReadonlyArray<readonly [string, Json]> =>
  alternatives(json).flatMap(({ items, properties }) => [
    ...Object.entries(objectOf(properties)).flatMap(([name, member]) => {
      const at = path === "" ? name : `${path}.${name}`
      return [[at, member] as const, ...membersOf(member, at)]
    }),
    ...(isObject(items) ? membersOf(items, `${path}[]`) : [])
  ])

const contentOf = (json: Json | undefined): Json | undefined =>
  objectOf(objectOf(resolve(json)["content"])["application/json"])["schema"]

const operations = Object.entries(objectOf(document["paths"])).flatMap(([path, methods]) =>
  Object.entries(objectOf(methods)).map(([method, operation]) => ({
    method,
    path,
    body: contentOf(objectOf(operation)["requestBody"]),
    shown: contentOf(objectOf(objectOf(operation)["responses"])["200"])
  }))
)
const pathsOf = (members: ReadonlyArray<readonly [string, Json]>): ReadonlyArray<string> =>
  [...new Set(members.map(([path]) => path))].toSorted()

describe("null in the body of a write", () => {
  it.each(operations.filter(({ body, method }) => method === "post" && body !== undefined))(
    "is refused for every member by POST $path",
    ({ body }) => assert.isEmpty(pathsOf(membersOf(body).filter(([, member]) => acceptsNull(member))))
  )

  const reads = new Map(
    operations.flatMap(({ method, path, shown }) => (method === "get" ? [[path, shown]] : []))
  )
  // The result of a criterion has no GET. It is a part of its assessment.
  const patches = operations.filter(({ method, path }) => method === "patch" && reads.has(path))
  it("is checked for at least 15 PATCH operations", () => assert.isAtLeast(patches.length, 15))
  it.each(patches)(
    "is accepted by PATCH $path for each member that a GET returns as null",
    ({ body, path }) => {
      const shown = new Map(membersOf(reads.get(path)))
      const members = membersOf(body)
      const known = members.filter(([member]) => shown.has(member))
      assert.isNotEmpty(known)
      // A login is null only for callers who may not change it.
      const isNull = ([member]: readonly [string, Json]) =>
        acceptsNull(shown.get(member)) && member !== "login"
      assert.deepStrictEqual(
        pathsOf(known.filter(([, member]) => acceptsNull(member))),
        pathsOf(known.filter(isNull))
      )
    }
  )
})
