// Common parts of operations are written once, as components of the document.
import { assert, describe, it } from "@effect/vitest"
import { isArray, isObject, type Json, mapMembers, objectOf } from "./DocumentJson.ts"
import { expandedDocument, openApiDocument } from "./OpenApiDocument.ts"
import { withSharedComponents } from "./SharedComponents.ts"

const failure = (name: string) => ({
  content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${name}` } } }
})
const limit = (example: number) => ({ name: "filter[limit][gt]", in: "query", example })
const operation = (example: number) => ({
  parameters: [limit(example)],
  responses: { 200: failure("NotFound"), 404: failure("NotFound") }
})
const document = {
  paths: {
    "/a": { get: operation(1), post: operation(1), summary: "as it is" },
    "/b": { get: operation(1), post: operation(2), put: operation(2), patch: operation(2) },
    "/c": { get: operation(1), delete: { responses: { 404: failure("NoRoute") } } }
  },
  components: { schemas: {} }
}

describe("parts that operations have in common", () => {
  it("become components with their most frequent name, and differing parts stay", () => {
    const refer = (example: number) => ({
      parameters: [example === 1 ? { $ref: "#/components/parameters/filter.limit.gt" } : limit(2)],
      responses: { 200: failure("NotFound"), 404: { $ref: "#/components/responses/NotFound" } }
    })
    assert.deepStrictEqual<Json>(withSharedComponents(document), {
      paths: {
        "/a": { get: refer(1), post: refer(1), summary: "as it is" },
        "/b": { get: refer(1), post: refer(2), put: refer(2), patch: refer(2) },
        "/c": { get: refer(1), delete: { responses: { 404: failure("NoRoute") } } }
      },
      components: {
        schemas: {},
        parameters: { "filter.limit.gt": limit(1) },
        responses: { NotFound: failure("NotFound") }
      }
    })
  })

  it("are unchanged when each reference is replaced by its component", () => {
    const document = openApiDocument()
    const inPlace = (json: Json): Json => {
      if (isArray(json)) return json.map(inPlace)
      if (!isObject(json)) return json
      const [, kind = "", name = ""] =
        /^#\/components\/(parameters|responses)\/(.+)$/u.exec(String(json["$ref"])) ?? []
      return kind === ""
        ? mapMembers(json, inPlace)
        : (objectOf(objectOf(document["components"])[kind])[name] ?? null)
    }
    assert.deepStrictEqual(inPlace(document["paths"] ?? null), expandedDocument()["paths"])
  })

  it("keep the whole document below 900,000 bytes", () => {
    assert.isBelow(JSON.stringify(openApiDocument()).length, 900_000)
  })
})
