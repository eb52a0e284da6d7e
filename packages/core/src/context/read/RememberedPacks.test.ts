// What is remembered of packs: found for the same read alone, and bounded.
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import { anySession } from "../../testing/SessionFixtures.ts"
import { sourceUrls } from "../pack/Citations.ts"
import { planOf } from "./ContextPlan.ts"
import { keyOf, type ReadPack, RememberedPacks } from "./ContextReader.ts"

const hex = (text: string) => hash("sha256", text, "hex")
const [session, elsewhere] = [anySession({ instanceId: 1 }), anySession({ instanceId: 2 })]
const asked = { scope: { entity: "client", id: 501 }, actions: { limit: 20 } } as const
const plan = planOf(asked)
const opened = {
  databaseAt: "2026-10-05T10:00:00.000Z",
  entityId: 501,
  snapshot: "10:10:",
  group: () => null,
  parts: () => assert.fail("nothing of it is read"),
  text: `{"state":[]}`
}
const reading = sourceUrls({ permissions: new Set(["clients.read"]), tokenId: 7 })
const blind = sourceUrls({ permissions: new Set(), tokenId: 7 })
const moment = {
  requestId: "0123456789ab",
  generatedAt: "2026-10-05T10:00:01.000Z",
  databaseAt: opened.databaseAt,
  usedMillis: 12
}
type Given = Parameters<typeof keyOf>
const given: Given = [hex, session, plan, "json", opened, reading, moment]
const withMember = <Place extends keyof Given & `${number}`>(place: Place, value: Given[Place]): Given =>
  given.with(Number(place), value) as Given

describe("the key of a remembered pack", () => {
  it("is the same at another moment, and with a request id that is as long", () => {
    const later = {
      requestId: "ba9876543210",
      generatedAt: "2026-11-05T10:00:01.000Z",
      databaseAt: "2026-11-05T10:00:00.000Z",
      usedMillis: 9_999
    }
    const again = { ...opened, databaseAt: later.databaseAt, snapshot: "20:20:" }
    const key = keyOf(...given)
    assert.match(key ?? "", /^[0-9a-f]{64}$/u)
    assert.strictEqual(keyOf(hex, session, planOf(asked), "json", again, reading, later), key)
  })

  it.each<[string, Given]>([
    ["another instance", withMember("1", elsewhere)],
    ["another budget", withMember("2", planOf({ ...asked, tokenBudget: 4_000 }))],
    ["fewer bytes", withMember("2", planOf({ ...asked, maxResponseBytes: 4_000 }))],
    ["fewer actions", withMember("2", planOf({ ...asked, actions: { limit: 19 } }))],
    ["other actors", withMember("2", planOf({ ...asked, actions: { limit: 20, actorTypes: ["client"] } }))],
    ["other sections", withMember("2", planOf({ ...asked, sections: ["state"] }))],
    ["a part of it", withMember("2", planOf({ ...asked, allowPartial: true }))],
    ["a longer time", withMember("2", planOf({ ...asked, timeoutMs: 1_234 }))],
    ["more candidates", withMember("2", planOf({ ...asked, candidateLimit: 17 }))],
    ["another client", withMember("2", planOf({ ...asked, scope: { entity: "client", id: 502 } }))],
    ["another entity", withMember("2", planOf({ scope: { entity: "operator", id: 501 } }))],
    ["Markdown", withMember("3", "markdown")],
    ["a client that was merged into another", withMember("4", { ...opened, entityId: 502 })],
    ["another text", withMember("4", { ...opened, text: `{"state":null}` })],
    ["a caller who may not read the record", withMember("5", blind)],
    ["a longer request id", withMember("6", { ...moment, requestId: "0123456789abc" })]
  ])("is another for %s", (_, other) => {
    const key = keyOf(...other)
    assert.isString(key)
    assert.notStrictEqual(key, keyOf(...given))
  })

  it.each<[string, Given]>([
    ["evidence", withMember("2", planOf({ ...asked, targets: ["previous_client_appeals"] }))],
    ["parts that were read one by one", withMember("4", { ...opened, text: null })],
    ["an entity that is not opened", withMember("4", { ...opened, entityId: null })],
    ["a read that took longer than is counted", withMember("6", { ...moment, usedMillis: 10_000 })]
  ])("is none for %s", (_, other) => assert.strictEqual(keyOf(...other), null))
})

const packOf = (units: number): ReadPack => ({
  pack: { units, bytes: units, tokens: 1, at: () => assert.fail("nothing is answered") },
  outcomes: [],
  shown: { appealIds: [], namedAppealIds: [], propertyDefinitionIds: [] }
})

/** As two reads do. */
const keep = (packs: RememberedPacks, key: string, read: ReadPack) => {
  packs.set(key, read)
  packs.set(key, read)
}

describe("remembered packs", () => {
  it("are those that are made a second time", () => {
    const packs = new RememberedPacks()
    const [first, second] = [packOf(1_000), packOf(1_000)]
    packs.set("a", first)
    assert.strictEqual(packs.get("a"), undefined)
    packs.set("b", first)
    packs.set("a", second)
    assert.strictEqual(packs.get("a"), second)
    assert.strictEqual(packs.get("b"), undefined)
  })

  it("are forgotten when they take too much, the one that was not asked for longest first", () => {
    const packs = new RememberedPacks(3 * 1_512)
    const [a, b, c, d] = [packOf(1_000), packOf(1_000), packOf(1_000), packOf(1_000)]
    keep(packs, "a", a)
    keep(packs, "b", b)
    keep(packs, "c", c)
    assert.strictEqual(packs.get("a"), a)
    keep(packs, "d", d)
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((key) => packs.get(key)),
      [a, undefined, c, d]
    )
  })

  it("count once where one takes the place of another", () => {
    const packs = new RememberedPacks(2 * 1_512)
    const [first, second, other] = [packOf(1_000), packOf(1_000), packOf(1_000)]
    keep(packs, "b", other)
    keep(packs, "a", first)
    keep(packs, "a", second)
    assert.strictEqual(packs.get("a"), second)
    assert.strictEqual(packs.get("b"), other)
  })

  it("are none where one takes more than all may", () => {
    const packs = new RememberedPacks(2_000)
    keep(packs, "a", packOf(5_000))
    assert.strictEqual(packs.get("a"), undefined)
    keep(packs, "b", packOf(1_000))
    assert.isDefined(packs.get("b"))
  })
})
