// Import items are checked by the schema of their route (contract §5).
import type { ImportItem } from "@rapport/contract/imports/ImportsApi.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { contentOf, checkItem } from "./ImportItems.ts"

const action = { type: "order.created", occurredAt: "2025-03-01T08:00:00Z", actorType: "client" }
const message = { role: "client", content: "Доброго дня" }
const check = (item: Partial<ImportItem>) =>
  Effect.runSync(checkItem({ kind: "action", externalId: "e-1", data: {}, ...item }))

/** The message of a faulty item, else an empty text. */
const faultOf = (item: Partial<ImportItem>): string => {
  const found = check(item)
  return found._tag === "faulty" ? found.message : ""
}

it("an import item of each kind is decoded by the schema of its route", () => {
  const found = check({ kind: "action", clientId: 501, data: { ...action, payload: { sum: 7 } } })
  assert.deepInclude(found, {
    _tag: "action",
    data: {
      type: "order.created",
      actorType: "client",
      occurredAt: Date.UTC(2025, 2, 1, 8),
      payload: { sum: 7 }
    }
  })
  const kinds: ReadonlyArray<readonly [ImportItem["kind"], ImportItem["data"], string]> = [
    ["state", { namespace: "crm", state: {} }, "state"],
    ["state", { namespace: "crm", state: {}, expectedVersion: 0, mode: "merge" }, "state"],
    ["session", { channel: "web", metadata: { a: 1 } }, "session"],
    ["session", {}, "session"]
  ]
  for (const [kind, data, tag] of kinds) assert.strictEqual(check({ kind, clientId: 1, data })._tag, tag)
  assert.strictEqual(check({ kind: "message", sessionExternalId: "s-1", data: message })._tag, "message")
})

it.each<readonly [Partial<ImportItem>, RegExp]>([
  [{ clientId: 1, data: { ...action, externalEventId: "e" } }, /data\.externalEventId/u],
  [{ clientId: 1, data: { ...action, source: "shop" } }, /data\.source/u],
  [{ clientId: 1, data: { ...action, clientId: 7 } }, /data\.clientId/u],
  [{ clientId: 1, kind: "session", data: { clientId: 7 } }, /data\.clientId/u],
  [{ clientId: 1, kind: "session", data: { externalSessionId: "s" } }, /data\.externalSessionId/u],
  [
    { kind: "message", sessionExternalId: "s", data: { ...message, externalMessageId: "m" } },
    /data\.externalMessageId/u
  ],
  [{ clientId: 1, kind: "state", data: { state: {} } }, /data\.namespace/u],
  [{ clientId: 1, kind: "state", data: { namespace: "BIG", state: {} } }, /data\.namespace/u],
  [{ clientId: 1, data: { ...action, occurredAt: "2025-02-30T08:00:00Z" } }, /data\.occurredAt/u],
  [{ data: action }, /^clientId is required$/u],
  [{ kind: "state", data: { namespace: "a", state: {} } }, /^clientId is required$/u],
  [{ kind: "session", data: {} }, /^clientId is required$/u],
  [{ kind: "message", clientId: 1, sessionExternalId: "s", data: message }, /^clientId is not taken/u]
])("an import item with %j is refused, and the error names the member", (item, where) => {
  assert.match(faultOf(item), where)
})

it("all faults of an import item are reported together", () => {
  const message = faultOf({ clientId: 1, data: { type: "BAD", actorType: "ghost", subjectId: 0 } })
  for (const path of ["data.type", "data.occurredAt", "data.actorType", "data.subjectId"])
    assert.include(message, path)
})

it("an import item above a size of its route is refused with the code of the route", () => {
  const long = "ї".repeat(600_000)
  for (const [kind, data] of [
    ["action", { ...action, payload: { long } }],
    ["action", { ...action, stateUpdate: { namespace: "crm", expectedVersion: 0, state: { long } } }]
  ] as const)
    assert.deepInclude(check({ kind, clientId: 1, data }), { _tag: "faulty", code: "PAYLOAD_TOO_LARGE" })
  const item = { kind: "message", sessionExternalId: "s", data: { ...message, content: long } } as const
  assert.deepInclude(check(item), { _tag: "faulty", code: "PAYLOAD_TOO_LARGE" })
})

const contentAt = (occurredAt: string) => contentOf(check({ clientId: 1, data: { ...action, occurredAt } }))

it("two spellings of a time give the same content of an item", () => {
  assert.deepStrictEqual(contentAt("2025-03-01T08:00:00Z"), contentAt("2025-03-01T10:00:00.000+02:00"))
  assert.notDeepEqual(contentAt("2025-03-01T08:00:00Z"), contentAt("2025-03-01T08:00:00.001Z"))
})

it("the content of a faulty item is the item itself", () => {
  const item: ImportItem = { kind: "action", externalId: "e-1", data: { nonsense: true } }
  assert.deepStrictEqual(contentOf(check(item)), item)
})
