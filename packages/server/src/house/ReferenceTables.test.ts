// The tables of the contract are those of the code. After a change run `pnpm run openapi`.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as path from "node:path"
import { openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { referenceDocuments, schemaLimits } from "./ReferenceTables.ts"

describe("docs/contract", () => {
  it.effect("has current tables of error codes, permissions, limits and settings", () =>
    Effect.gen(function* () {
      const documents = yield* referenceDocuments
      assert.deepStrictEqual(
        documents.map(({ file }) => path.basename(file)),
        ["1.1-errors.md", "10-limits.md", "11-running.md", "2-access.md", "3-context-read.md"]
      )
      for (const { current, text } of documents) assert.strictEqual(text, current)
    })
  )

  it("leaves out only limits that the OpenAPI document states as bounds", () => {
    const bounds = JSON.stringify(openApiDocument()).matchAll(
      /"(?:maximum|maxLength|maxItems|minLength)":(\d+)/gu
    )
    const stated = new Set(Array.from(bounds, ([, bound]) => Number(bound)))
    const limits = [...schemaLimits()]
    assert.isAbove(limits.length, 35)
    assert.deepStrictEqual(
      limits.filter(([, limit]) => !stated.has(limit)),
      []
    )
  })
})
