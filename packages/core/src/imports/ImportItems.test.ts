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

const contentAt = (occurredAt: string) => contentOf(check({ clientId: 1, data: { ...action, occurredAt } }))

it("two spellings of a time give the same content of an item", () => {
  assert.deepStrictEqual(contentAt("2025-03-01T08:00:00Z"), contentAt("2025-03-01T10:00:00.000+02:00"))
  assert.notDeepEqual(contentAt("2025-03-01T08:00:00Z"), contentAt("2025-03-01T08:00:00.001Z"))
})

it("the content of a faulty item is the item itself", () => {
  const item: ImportItem = { kind: "action", externalId: "e-1", data: { nonsense: true } }
  assert.deepStrictEqual(contentOf(check(item)), item)
})
