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

  it.effect("has a row for every error code, permission, limit and setting", () =>
    Effect.gen(function* () {
      const text = (yield* referenceDocuments).map(({ current }) => current).join("\n")
      for (const part of [
        "| 503 | SEARCH_UNAVAILABLE | A required source",
        "| audit.read | Read the audit log | ✔ |",
        "| topK | 1 | 8 | 20 |",
        "| REST_PER_MINUTE | 600 |",
        "| Bytes of a request body | 262,144 |",
        "| RAPPORT_POOL_SIZE | Connections to PostgreSQL | 2–500 | 16 |"
      ])
        assert.include(text, part)
      assert.notInclude(text, "NaN")
      assert.strictEqual(text.match(/^\| [45]\d\d \| [A-Z_]+ \|/gmu)?.length, 27)
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
