// Common parts of operations are written once, as components of the document.
import { assert, describe, it } from "@effect/vitest"
import { isArray, isObject, type Json, mapMembers, objectOf } from "./DocumentJson.ts"
import { expandedDocument, openApiDocument } from "./OpenApiDocument.ts"

describe("parts that operations have in common", () => {
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
})
