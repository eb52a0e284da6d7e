// The faults of a value are those of its schema, bounded in number and in work.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { ChatRequest } from "../appeals/ChatsApi.ts"
import { ContextRequest } from "../context/ContextRequest.ts"
import { ImportRequest } from "../imports/ImportsApi.ts"
import { VIOLATIONS_MAX } from "../Limits.ts"
import { listQuery } from "../lists/Collection.ts"
import { anyRecords, recordsOf } from "../records/CustomRecord.ts"
import type { ModelField } from "../records/Model.ts"
import { rulesOf } from "./Checks.ts"
import { collectFaults, collectParameterFaults } from "./CollectFaults.ts"
import { type Fault, faultsOf, strict } from "./Faults.ts"

/** All faults that the schema reports. */
const allFaults = (schema: Schema.Codec<unknown, unknown>, value: unknown) => {
  const decode = Schema.decodeUnknownResult(schema, strict)
  const result = decode(value)
  const faults = Result.isFailure(result) ? faultsOf(result.failure.issue) : []
  // If several checks of a value fail, the first is reported.
  return faults.filter(({ path }, i) => faults.findIndex((other) => other.path === path) === i)
}

const sortByPath = (faults: ReadonlyArray<Fault>) =>
  faults.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, 1, 0, -1, 1.5, 21, 600, "", "x", "client", "state", "action"),
  fc.constant([]),
  fc.constant({})
)
const bodyOf = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ ...members, bogus: scalar, other: scalar }, { requiredKeys: [] })
const scope = fc.oneof(scalar, fc.record({ entity: scalar, id: scalar, x: scalar }, { requiredKeys: [] }))
const list = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }))
const reads = bodyOf({
  scope,
  sections: list,
  targets: list,
  query: scalar,
  actions: fc.oneof(scalar, bodyOf({ limit: scalar, actorTypes: list })),
  topK: scalar,
  from: scalar,
  allowPartial: scalar
})
const item = bodyOf({ kind: scalar, clientId: scalar, externalId: scalar, data: scalar })
const batches = bodyOf({ source: scalar, items: fc.oneof(scalar, fc.array(item, { maxLength: 3 })) })
const message = bodyOf({ authorType: scalar, text: scalar, occurredAt: scalar })
const chats = bodyOf({
  clientId: scalar,
  channel: scalar,
  tags: list,
  messages: fc.oneof(scalar, fc.array(message, { maxLength: 3 }))
})

const number: ModelField = {
  name: "n",
  type: "INTEGER",
  required: false,
  unique: false,
  rules: {},
  target: null
}

describe("the faults of a value", () => {
  it.each([
    ["a context read", ContextRequest, reads],
    ["an import", ImportRequest, batches],
    ["a chat", ChatRequest, chats]
  ] as const)("are those of the schema of %s", (_, schema, values) => {
    fc.assert(
      fc.property(values, (value) => {
        // Rules between members are separate, and reported where they are requested.
        if (rulesOf(schema)(value).length > 0) return
        assert.deepStrictEqual(sortByPath(collectFaults(schema, value)), sortByPath(allFaults(schema, value)))
      }),
      { numRuns: 2_000 }
    )
  })

  it("are one for each value, also if two checks fail", () => {
    const past = String(2 ** 53)
    const list = Schema.Struct(listQuery(anyRecords))
    for (const [name, value] of [
      ["limit", past],
      ["filter[id]", past],
      ["filter[id][in]", `1,${past},x`]
    ] as const)
      assert.deepStrictEqual(
        collectParameterFaults(list, { [name]: value }).map(({ path }) => path),
        [name]
      )
  })

  it.each(["9007199254740992", "-9007199254740992", "1.0", "+1", "01"])(
    "include a filter of integers with %s",
    (value) => {
      const list = Schema.Struct(listQuery(recordsOf(1, [number])))
      assert.deepStrictEqual(
        collectParameterFaults(list, { "filter[version]": value, "filter[n]": value }).map(
          ({ path }) => path
        ),
        ["filter[version]", "filter[n]"]
      )
      const edge = String(Number.MAX_SAFE_INTEGER)
      assert.isEmpty(collectParameterFaults(list, { "filter[version]": edge, "filter[n]": `-${edge}` }))
    }
  )

  it("are one for an array that is too long", () => {
    const body = { source: "s", items: Array.from({ length: 101 }, () => 0) }
    assert.deepStrictEqual(
      collectFaults(ImportRequest, body).map(({ path }) => path),
      ["items"]
    )
  })

  it("are bounded across all members", () => {
    const items = Array.from({ length: 50 }, () =>
      Object.fromEntries(["a", "b", "c"].map((name) => [name, 1]))
    )
    assert.lengthOf(collectFaults(ImportRequest, { source: "s", items }), VIOLATIONS_MAX)
    assert.lengthOf(collectFaults(ImportRequest, { source: "s", items }, 7), 7)
  })
})
