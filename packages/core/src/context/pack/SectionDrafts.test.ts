// Sections of rows that did not change are made once, and never shown to whom they would show something else.
import { assert, describe, it } from "@effect/vitest"
import type { Permission } from "@rapport/contract/access/Permission.ts"
import { createHash } from "node:crypto"
import { available, unavailable } from "../../failures/SourceUnavailable.ts"
import type { ContextScope } from "../read/ContextStore.ts"
import type { OpenedSections } from "../read/OpenSections.ts"
import { sourceUrls } from "./Citations.ts"
import { sectionDrafting } from "./SectionDrafts.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const at = "2026-10-05T10:00:00.000Z"
const urlsOf = (...permissions: ReadonlyArray<Permission>) =>
  sourceUrls({ permissions: new Set(permissions), tokenId: 7 })
const [reading, blind] = [urlsOf("clients.read"), urlsOf()]

const opened: OpenedSections = {
  databaseAt: at,
  snapshot: "10:10:",
  entityId: 501,
  group: null,
  conversations: null,
  interactions: null,
  quarantinedMemories: null,
  state: available({
    _tag: "Client",
    namespaces: [
      { id: "n1", namespace: "crm", version: 4, state: { tier: "золотий" }, leftBytes: null, updatedAt: at }
    ]
  }),
  actions: available({
    more: false,
    rows: [
      {
        id: "a1",
        type: "order.created",
        actorType: "client",
        actorId: null,
        occurredAt: at,
        recordedAt: at,
        summary: "Заказ 10442",
        payload: { b: 1, a: 2 },
        leftBytes: null,
        appealId: null
      }
    ]
  }),
  properties: available([
    { id: "501", definitionId: null, name: "name", label: "Name", value: "Олена", updatedAt: at }
  ])
}
const drafting = () => {
  const made = sectionDrafting(sha256)
  return (...given: Parameters<typeof made>) => {
    const run = made(...given)
    for (;;) {
      const { done, value } = run.next()
      if (done === true) return value
    }
  }
}
const yields = (sections: OpenedSections) => [...sectionDrafting(sha256)(client(501), sections, reading)]
const client = (id: number): ContextScope => ({ entity: "client", id })

describe("sections with their citations", () => {
  it("are made once of the same rows", () => {
    const draft = drafting()
    const first = draft(client(501), opened, reading)
    const second = draft(client(501), { ...opened, databaseAt: "2026-10-06T10:00:00.000Z" }, reading)
    assert.strictEqual(second.state, first.state)
    assert.strictEqual(second.actions, first.actions)
    assert.strictEqual(second.properties, first.properties)
    assert.strictEqual(first.cited, 3)
  })

  it.each([
    ["another client", client(502), opened, reading],
    ["a caller who may not read the record", client(501), opened, blind],
    ["a read without actions", client(501), { ...opened, actions: null }, reading],
    ["a read whose state is away", client(501), { ...opened, state: unavailable("timeout") }, reading],
    ["other rows of the same content", client(501), structuredClone(opened), reading]
  ])("are for %s what they are where nothing was made before", (_, scope, sections, urls) => {
    const draft = drafting()
    draft(client(501), opened, reading)
    assert.deepStrictEqual(draft(scope, sections, urls), drafting()(scope, sections, urls))
    // And the first as it was.
    assert.deepStrictEqual(draft(client(501), opened, reading), drafting()(client(501), opened, reading))
  })

  it("give way after a long section, and after no other", () => {
    assert.lengthOf(yields(opened), 0)
    const state = { blob: "д".repeat(70_000) }
    const row = { id: "n1", namespace: "crm", version: 1, state, leftBytes: null, updatedAt: at }
    assert.lengthOf(yields({ ...opened, state: available({ _tag: "Client", namespaces: [row] }) }), 1)
  })
})
