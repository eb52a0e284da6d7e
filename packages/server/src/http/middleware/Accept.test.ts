// Which of its media types an answer takes, by RFC 9110 §12.5.1.
import { assert, describe, it } from "@effect/vitest"
import { accepts, preferred } from "./Accept.ts"

const both = ["application/json", "text/markdown"]

describe("accepts", () => {
  it.each([
    ["text/markdown", true],
    ["text/*;q=0.2", true],
    ["application/json;q=0, */*;q=0.5", false],
    ["text/html", false]
  ])("Accept: %s of an answer in both: %s", (accept, acceptable) => {
    assert.strictEqual(accepts(accept, both), acceptable)
  })
})

describe("preferred", () => {
  it.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/markdown", "text/markdown"],
    ["Text/Markdown; charset=utf-8", "text/markdown"],
    ["text/*", "text/markdown"],
    ["text/markdown, */*", "text/markdown"],
    ["text/markdown, application/json", "application/json"],
    ["text/markdown;q=0.5, application/json;q=0.4", "text/markdown"],
    ["text/markdown;q=0.4, */*;q=0.5", "application/json"],
    ["text/markdown;q=0, */*", "application/json"],
    ["application/json;q=0, text/*;q=0.1", "text/markdown"]
  ])("Accept: %s is answered with %s", (accept, mediaType) => {
    assert.strictEqual(preferred(accept, both), mediaType)
  })
})
