// The content of a pack that did not change is written once, and never shown for another.
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { citing, sourceUrls } from "./Citations.ts"
import type { PackDraft } from "./PackDraft.ts"
import { contentOf } from "./PackJson.ts"
import { actionsDraft, propertiesDraft, stateDraft } from "./SectionDrafts.ts"
import { available, unavailable } from "../../failures/SourceUnavailable.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const at = "2026-10-05T10:00:00.000Z"
const scope = { entity: "client", id: 501 } as const
const urls = sourceUrls({ permissions: new Set(["clients.read"]), tokenId: 7 })
const cite = citing(sha256)

const stateOf = (tier: string) =>
  stateDraft(
    scope,
    available({
      _tag: "Client",
      namespaces: [
        { id: "n1", namespace: "crm", version: 4, state: { tier }, leftBytes: null, updatedAt: at }
      ]
    }),
    cite,
    urls
  )
const propertiesOf = (value: string) =>
  propertiesDraft(
    scope,
    available([{ id: "501", definitionId: null, name: "name", label: "Name", value, updatedAt: at }]),
    cite,
    urls
  )
const actionsOf = (...summaries: ReadonlyArray<string>) =>
  actionsDraft(
    scope,
    available({
      more: false,
      rows: summaries.map((summary, place) => ({
        id: `a${place}`,
        type: "order.created",
        actorType: "client",
        actorId: null,
        occurredAt: at,
        recordedAt: at,
        summary,
        payload: { total: place },
        leftBytes: null,
        appealId: null
      }))
    }),
    cite,
    urls
  )

const actions = actionsOf("Заказ 10442", "Замовлення 10443", "order 10444")
const cut: PackDraft = {
  requestId: "r1",
  scope,
  generatedAt: at,
  state: stateOf("золотий"),
  actions,
  properties: propertiesOf("Олена"),
  evidence: null,
  coverage: { reasons: [], details: [], asOf: { database: at, index: null, indexLagMs: null } },
  candidates: { limit: 10, considered: 0 },
  timeMs: { limit: 1_000, used: 1 }
}
const items = actions._tag === "Actions" ? actions.items : []
const fewer = { _tag: "Actions", items: items.slice(0, 2), truncated: true } as const
/** As if nothing had been written of it before. */
const fresh = (draft: PackDraft) => contentOf(structuredClone(draft), sha256)

describe("the content of a pack", () => {
  it("is written and hashed once, whatever the moment is", () => {
    let hashed = 0
    const counting = (text: string) => {
      hashed++
      return sha256(text)
    }
    const draft = { ...cut, properties: propertiesOf("Ёлка") }
    const first = contentOf(draft, counting)
    const later = { ...draft, requestId: "r2", generatedAt: "2026-10-06T10:00:00.000Z", scope: { ...scope } }
    assert.strictEqual(
      contentOf({ ...later, actions: { ...actions, items: [...items] } as typeof actions }, counting),
      first
    )
    assert.strictEqual(hashed, 1)
  })

  it.each<[string, Partial<PackDraft>]>([
    ["another client", { scope: { entity: "client", id: 502 } }],
    ["another state", { state: stateOf("срібний") }],
    ["no state", { state: null }],
    ["a state that is away", { state: unavailable("timeout") }],
    ["another action", { actions: actionsOf("Заказ 10442", "Замовлення 10443", "order 10445") }],
    ["fewer actions", { actions: fewer }],
    ["as many of which there are more", { actions: { ...fewer, items } }],
    ["no actions", { actions: null }],
    ["actions that are away", { actions: unavailable("timeout") }],
    ["no properties", { properties: null }]
  ])("is for %s what it is where nothing was written before", (_, changed) => {
    contentOf(cut, sha256)
    const other = { ...cut, ...changed }
    assert.deepStrictEqual(contentOf(other, sha256), fresh(other))
    assert.notStrictEqual(contentOf(other, sha256).packHash, fresh(cut).packHash)
    assert.deepStrictEqual(contentOf(cut, sha256), fresh(cut))
  })
})
