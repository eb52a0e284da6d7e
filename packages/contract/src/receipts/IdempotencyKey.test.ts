// A key has 1–255 visible ASCII characters, bare or as a quoted string of RFC 8941 (contract §1.3).
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { idempotencyHeaders, keyOf } from "./IdempotencyKey.ts"

const long = "k".repeat(255)
const malformed = undefined
const missing = null

describe("keyOf", () => {
  it.each<readonly [header: string, key: string | null | undefined, why: string]>([
    ["8e03978e-40d5", "8e03978e-40d5", "bare"],
    ['"8e03978e-40d5"', "8e03978e-40d5", "quoted: the same key"],
    ["!~", "!~", "both ends of visible ASCII"],
    ["a;b", "a;b", "a semicolon in a bare key is a character"],
    ["a,b", "a,b", "a comma in a bare key is a character"],
    ['a"b', 'a"b', "a quotation mark inside a bare key is a character"],
    ["a\\b", "a\\b", "a backslash in a bare key is a character"],
    ['"a\\"b\\\\c"', 'a"b\\c', "escapes are decoded"],
    [long, long, "255 characters"],
    [`"${long}"`, long, "255 characters in quotes"],
    [`"${"\\\\".repeat(255)}"`, "\\".repeat(255), "counted once decoded"],
    ["", missing, "empty counts as missing"],
    ['""', missing, "empty in quotes counts as missing"],
    [`${long}k`, malformed, "256 characters"],
    [`"${long}k"`, malformed, "256 characters in quotes"],
    ["a b", malformed, "a space is not visible"],
    ['"a b"', malformed, "a space in quotes is not visible either"],
    ["ключ", malformed, "not ASCII"],
    ['"ключ"', malformed, "not ASCII in quotes"],
    ["a\tb", malformed, "a tab"],
    ["a\u007f", malformed, "DEL"],
    ['"a', malformed, "a quotation mark that is not closed"],
    ['"', malformed, "only a quotation mark"],
    ['"a"b', malformed, "text after the quoted key"],
    ['"a";p=1', malformed, "parameters of a quoted key"],
    ['"a", "b"', malformed, "two keys"],
    ['"a\\b"', malformed, "an escape of another character"]
  ])("decodes %j as %j: %s", (header, key) => {
    assert.strictEqual(keyOf(header), key)
  })

  it("decodes every key that the derived client sends", () => {
    const codec = Schema.Struct(idempotencyHeaders)
    for (const key of ["plain", 'a"b', "a\\b", ";", long, "!~"]) {
      const sent = Effect.runSync(Schema.encodeEffect(codec)({ "idempotency-key": key }))
      const arrived = Effect.runSync(Schema.decodeUnknownEffect(codec)(sent))
      assert.strictEqual(arrived["idempotency-key"], key)
    }
    assert.isTrue(
      Exit.isFailure(Effect.runSyncExit(Schema.decodeUnknownEffect(codec)({ "idempotency-key": '"a";p=1' })))
    )
  })
})
