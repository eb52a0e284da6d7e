// contract §5: "data is the body of the matching route without its external id, source and clientId".
import type { ImportItem } from "@rapport/contract/imports/ImportsApi.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { contentOf, checkItem } from "./ImportItems.ts"

const action = { type: "order.created", occurredAt: "2025-03-01T08:00:00Z", actorType: "client" }
const message = { role: "client", content: "Доброго дня" }
const judged = (item: Partial<ImportItem>) =>
  Effect.runSync(checkItem({ kind: "action", externalId: "e-1", data: {}, ...item }))

/** What is reported of a faulty item; empty when it is none. */
const fault = (item: Partial<ImportItem>): string => {
  const found = judged(item)
  return found._tag === "Faulty" ? found.message : ""
}

it("an import item of each kind is decoded by the schema of its route", () => {
  const found = judged({ kind: "action", clientId: 501, data: { ...action, payload: { sum: 7 } } })
  assert.deepInclude(found, {
    _tag: "Action",
    data: {
      type: "order.created",
      actorType: "client",
      occurredAt: Date.UTC(2025, 2, 1, 8),
      payload: { sum: 7 }
    }
  })
  const kinds: ReadonlyArray<readonly [ImportItem["kind"], ImportItem["data"], string]> = [
    ["state", { namespace: "crm", state: {} }, "State"],
    ["state", { namespace: "crm", state: {}, expectedVersion: 0, mode: "merge" }, "State"],
    ["session", { channel: "web", metadata: { a: 1 } }, "Session"],
    ["session", {}, "Session"]
  ]
  for (const [kind, data, tag] of kinds) assert.strictEqual(judged({ kind, clientId: 1, data })._tag, tag)
  assert.strictEqual(judged({ kind: "message", sessionExternalId: "s-1", data: message })._tag, "Message")
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
  [{ clientId: 1, data: { ...action, occurredAt: "2025-02-30T08:00:00Z" } }, /data\.occurredAt/u]
])("an import item with %j is refused with the place of its fault", (item, where) => {
  assert.match(fault(item), where)
})

it("all faults of an import item are reported together", () => {
  const told = fault({ clientId: 1, data: { type: "BAD", actorType: "ghost", subjectId: 0 } })
  for (const path of ["data.type", "data.occurredAt", "data.actorType", "data.subjectId"])
    assert.include(told, path)
})

it("an import item needs a clientId, except a message, whose session names the client", () => {
  assert.strictEqual(fault({ data: action }), "clientId is required")
  assert.strictEqual(fault({ kind: "state", data: { namespace: "a", state: {} } }), "clientId is required")
  assert.strictEqual(fault({ kind: "session", data: {} }), "clientId is required")
  assert.match(
    fault({ kind: "message", clientId: 1, sessionExternalId: "s", data: message }),
    /^clientId is not taken/u
  )
})

const written = (occurredAt: string) => contentOf(judged({ clientId: 1, data: { ...action, occurredAt } }))

it("the content of an item does not depend on how its times are written", () => {
  assert.deepStrictEqual(written("2025-03-01T08:00:00Z"), written("2025-03-01T10:00:00.000+02:00"))
  assert.notDeepEqual(written("2025-03-01T08:00:00Z"), written("2025-03-01T08:00:00.001Z"))
})

it("the content of a faulty item is the item itself", () => {
  const item: ImportItem = { kind: "action", externalId: "e-1", data: { nonsense: true } }
  assert.deepStrictEqual(contentOf(judged(item)), item)
})
