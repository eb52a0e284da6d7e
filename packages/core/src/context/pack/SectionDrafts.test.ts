// Sections made from rows, with their citations.
import { assert, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { available } from "../../failures/SourceUnavailable.ts"
import type { ContextScope } from "../read/ContextStore.ts"
import type { SectionParts } from "../read/ReadSources.ts"
import { sourceUrls } from "./Citations.ts"
import { marksFor } from "./Marks.ts"
import { sectionsOf } from "./SectionDrafts.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const at = "2026-10-05T10:00:00.000Z"
const urls = sourceUrls({ permissions: new Set(), seesAsUser: false })
const marks = marksFor({ actionIds: ["a1"], sessions: [] })

type Sections = Pick<SectionParts, "state" | "actions" | "properties">
const opened: Sections = {
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
const client: ContextScope = { entity: "client", id: 501 }

it("sections number their citations in the order of the answer, and later evidence continues the numbers", () => {
  const { cite, properties, state } = sectionsOf(sha256, client, opened, urls, marks, null)
  assert.strictEqual(state?._tag === "Namespaces" && state.namespaces[0]?.citation.id, "c1")
  assert.strictEqual(properties?._tag === "Properties" && properties.values[0]?.cited.citation.id, "c3")
  const source = { sourceType: "memory", sourceId: "m1", occurredAt: null, url: null } as const
  assert.strictEqual(cite({ text: "x" }, "sections.evidence", source).citation.id, "c4")
})
