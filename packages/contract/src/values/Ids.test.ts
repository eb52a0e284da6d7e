// Ids in bodies and paths (contract §1 "Ids", "Strictness", "Query strings, paths").
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { PositiveId, PositiveInt, Uuid } from "./Ids.ts"

const accepts = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(value))

describe("an id from 1 to 2^53−1", () => {
  it.each([1, 501, Number.MAX_SAFE_INTEGER])("may be %s in a body", (value) =>
    assert.isTrue(accepts(PositiveInt, value))
  )
  it.each([0, -1, 8.5, "8", null, true, 2 ** 53, Number.NaN, Infinity, [], {}])(
    "may not be %j in a body",
    (value) => assert.isFalse(accepts(PositiveInt, value))
  )
  it.each(["1", "501", "9007199254740991"])("may be %s in a path", (value) =>
    assert.isTrue(accepts(PositiveId, value))
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
  ])("may not be %j in a path", (value) => assert.isFalse(accepts(PositiveId, value)))
})

describe("a UUID in a path", () => {
  const uuid = "01990000-0000-7000-8000-00000000000a"
  it("may have upper case, and is returned in lower case", () => {
    assert.strictEqual(Schema.decodeUnknownSync(Uuid)(uuid.toUpperCase()), uuid)
  })
  it.each(["1", "x", uuid.slice(0, -1), `${uuid}0`, `{${uuid}}`, `${uuid}\n`])("may not be %j", (value) =>
    assert.isFalse(accepts(Uuid, value))
  )
})
