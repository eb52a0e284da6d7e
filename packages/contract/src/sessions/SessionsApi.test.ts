// The bounds of a working context and of metadata (contract §5).
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { collectFaults } from "../values/CollectFaults.ts"
import { SessionMessageRequest, WorkingContextRequest } from "./SessionsApi.ts"

const accepts = (schema: Schema.ConstraintDecoder<unknown>, value: unknown): boolean =>
  Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))
const many = (count: number) => Array.from({ length: count }, (_, i) => `${i}`)

describe("a working context", () => {
  it.each([
    ["goals", 20],
    ["tasks", 50],
    ["entities", 50],
    ["assertions", 50],
    ["sources", 50]
  ] as const)("%s has at most %d entries", (list, maximum) => {
    assert.isTrue(accepts(WorkingContextRequest, { [list]: many(maximum) }))
    assert.isFalse(accepts(WorkingContextRequest, { [list]: many(maximum + 1) }))
  })

  it("may lack any list", () => assert.isTrue(accepts(WorkingContextRequest, {})))

  it.each([["a goal"], [{ id: 1 }], [{}]])("accepts the entry %j", (entry) => {
    assert.isTrue(accepts(WorkingContextRequest, { goals: [entry] }))
  })

  it.each([[""], [1], [true], [null], [["a"]]])("refuses the entry %j", (entry) => {
    assert.deepStrictEqual(collectFaults(WorkingContextRequest, { goals: ["a goal", entry] }), [
      { path: "goals[1]", message: "must be a non-empty string or an object", isOverBudget: false }
    ])
  })
})

const message = { role: "client", content: "Доброго дня" }
/** An object with `bytes` bytes of JSON. */
const metadata = (bytes: number) => ({ m: "x".repeat(bytes - '{"m":""}'.length) })

describe("a message", () => {
  it("has metadata of at most 16 KiB", () => {
    assert.isTrue(accepts(SessionMessageRequest, { ...message, metadata: metadata(16_384) }))
    assert.isFalse(accepts(SessionMessageRequest, { ...message, metadata: metadata(16_385) }))
  })

  it("has at least one character, and one of five roles", () => {
    assert.isTrue(accepts(SessionMessageRequest, { role: "tool", content: " " }))
    assert.isFalse(accepts(SessionMessageRequest, { role: "tool", content: "" }))
    assert.isFalse(accepts(SessionMessageRequest, { role: "bot", content: "a" }))
  })
})
