// Ids in bodies and paths, by contract §1 "Ids", "Strictness", "Query strings, paths".
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { PositiveId, PositiveInt, Uuid } from "./Ids.ts"

const takes = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(value))

describe("contract §1: integers lie in 1…2^53−1, no coercion", () => {
  it.each([1, 501, Number.MAX_SAFE_INTEGER])("a body takes %s", (value) =>
    assert.isTrue(takes(PositiveInt, value))
  )
  it.each([0, -1, 8.5, "8", null, true, 2 ** 53, Number.NaN, Infinity, [], {}])(
    "a body refuses %j",
    (value) => assert.isFalse(takes(PositiveInt, value))
  )
  it.each(["1", "501", "9007199254740991"])("a path takes %s", (value) =>
    assert.isTrue(takes(PositiveId, value))
  )
  it.each([
    "0",
    "-1",
    "1.5",
    "abc",
    "9007199254740992",
    "1e3",
    "01",
    "+1",
    " 1",
    "null",
    "0x1f",
    "31\0",
    "٣",
    ""
  ])("a path refuses %j", (value) => assert.isFalse(takes(PositiveId, value)))
})

describe("contract §1: a path id that is no UUID where one is wanted is refused", () => {
  const uuid = "01990000-0000-7000-8000-00000000000a"
  it("takes either case and reads lower case", () => {
    assert.strictEqual(Schema.decodeUnknownSync(Uuid)(uuid.toUpperCase()), uuid)
  })
  it.each(["1", "x", uuid.slice(0, -1), `${uuid}0`, `{${uuid}}`, `${uuid}\n`])("refuses %j", (value) =>
    assert.isFalse(takes(Uuid, value))
  )
})
