// Repeated values of an array of a request (contract §1.3).
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ExternalTokenRequest } from "../access/AccessApi.ts"
import { ChatRequest } from "../appeals/ChatsApi.ts"
import { BroadcastRequest } from "../broadcasts/Broadcast.ts"
import { ContextRequest } from "../context/ContextRequest.ts"
import { PropertyRequest } from "../directory/PropertiesApi.ts"
import { listQuery } from "../lists/Collection.ts"
import { VIOLATIONS_MAX } from "../Limits.ts"
import { ModelRequest } from "../records/Model.ts"
import { ChecklistRequest } from "../quality/Criterion.ts"
import { anyRecords } from "../records/CustomRecord.ts"
import { CalendarRequest } from "../statistics/Calendar.ts"
import { UserRequest } from "../users/UsersApi.ts"
import { collectFaults } from "./CollectFaults.ts"
import { distinct } from "./Distinct.ts"
import { strict } from "./Faults.ts"
import { PositiveInt } from "./Ids.ts"
import { ShortText } from "./Members.ts"

const decode = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Schema.decodeUnknownSync(schema, strict)(value)
const repeat = <A>(value: A, count: number): ReadonlyArray<A> => Array.from({ length: count }, () => value)

describe("a repeated value of an array", () => {
  it.each([
    ["tags", ChatRequest, { clientId: 1, channel: "web", chatId: "1" }, "tags", ["б", "а"]],
    ["ids in their order", ChecklistRequest, { name: "a" }, "criterionIds", [3, 1]],
    ["roles", UserRequest, { login: "a", firstName: "A", lastName: "B" }, "roles", ["operator", "analyst"]],
    [
      "options",
      PropertyRequest,
      { entity: "client", name: "a", label: "a", type: "enum" },
      "options",
      ["б", "а"]
    ],
    [
      "roles of a property",
      PropertyRequest,
      { entity: "client", name: "a", label: "a", type: "string" },
      "visibleTo",
      ["operator", "analyst"]
    ],
    ["permissions", ExternalTokenRequest, { name: "a" }, "permissions", ["chats.read", "context.read"]],
    ["holidays", CalendarRequest, { name: "a", timezone: "UTC" }, "holidays", ["2026-12-25", "2026-01-01"]],
    ["sections", ContextRequest, { scope: { entity: "client", id: 1 } }, "sections", ["state", "actions"]]
  ] as const)("is kept once, at its first place: %s", (_, schema, members, name, [first, second]) => {
    const decoded = decode(schema, { ...members, [name]: [first, second, first, second] })
    assert.deepInclude(decoded, { [name]: [first, second] })
  })

  it("is found in nested arrays", () => {
    const model = { name: "a", fields: [{ name: "a", type: "STRING", rules: { enum: ["а", "б", "а"] } }] }
    assert.deepNestedInclude(decode(ModelRequest, model), { "fields[0].rules.enum": ["а", "б"] })
    const broadcast = { name: "a", audience: { clientIds: [2, 1, 2] } }
    assert.deepNestedInclude(decode(BroadcastRequest, broadcast), { "audience.clientIds": [2, 1] })
  })

  it("is found after normalisation", () => {
    assert.deepStrictEqual(decode(distinct(ShortText), ["й", "и\u0306"]), ["й"])
  })

  it("counts once for the maximum", () => {
    const some = distinct(PositiveInt, { ifEmpty: "must have at least one item", maximum: 3 })
    assert.deepStrictEqual(decode(some, [1, 2, ...repeat(3, 500)]), [1, 2, 3])
    assert.deepStrictEqual(collectFaults(some, []), [
      { path: "", message: "must have at least one item", isOverBudget: false }
    ])
    assert.lengthOf(collectFaults(some, [1, 2, 3, 4]), 1)
    assert.deepStrictEqual(
      collectFaults(some, [1, "x", 2]).map(({ path }) => path),
      ["[1]"]
    )
    assert.lengthOf(collectFaults(some, repeat("x", 50_000)), VIOLATIONS_MAX)
  })

  it("counts once in the lists of a query string", () => {
    const list = Schema.Struct(listQuery(anyRecords))
    assert.deepStrictEqual(
      decode(list, { "filter[version][in]": repeat("7,8", 80).join(","), fields: "id,version,id" }),
      { "filter[version][in]": [7, 8], fields: ["id", "version"] }
    )
  })
})
