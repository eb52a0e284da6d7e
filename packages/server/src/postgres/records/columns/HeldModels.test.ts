import { assert, describe, it } from "@effect/vitest"
import { blocksOf, layoutOf } from "./Block.ts"
import { type Held, HeldModels } from "./HeldModels.ts"

const layout = layoutOf([])
const HOUR = 3_600_000

/** Columns of so many records. */
const heldOf = (records: number): Held => ({
  of: { instanceId: 1, modelId: 1, fields: [] },
  state: { snapshot: "1:1:", server: "", at: 0 },
  layout,
  blocks: blocksOf(
    layout,
    Array.from({ length: records }, (_, n) => [n, 0, 0])
  )
})
const bytesOf = ({ blocks }: Held) => blocks.reduce((sum, { bytes }) => sum + bytes, 0)

/** Models that are used in this order, each with columns of as many records. */
const filled = (bytesMax: number, names: string, records = 100) => {
  const models = new HeldModels(bytesMax)
  for (const [at, name] of [...names].entries()) {
    const entry = models.used(name, at)
    entry.held = heldOf(records)
    models.makeRoom(entry, at)
  }
  const heldNames = (of: string) => [...of].filter((name) => models.used(name, 0).held !== undefined).join("")
  return { models, heldNames }
}

describe("columns that a process holds", () => {
  const one = bytesOf(heldOf(100))

  it("stay while they have room, to the byte", () => {
    assert.strictEqual(filled(3 * one, "abc").heldNames("abc"), "abc")
    assert.strictEqual(filled(3 * one - 1, "abc").heldNames("abc"), "bc")
  })

  it("go in the order of their last use, not of their reading", () => {
    const { heldNames, models } = filled(3 * one, "abc")
    models.used("a", 10)
    const entry = models.used("d", 11)
    entry.held = heldOf(100)
    models.makeRoom(entry, 11)
    assert.strictEqual(heldNames("abcd"), "acd")
  })

  it("go as many as must, and a model that alone has no room goes with them", () => {
    const { heldNames, models } = filled(3 * one, "abc")
    const large = models.used("d", 10)
    large.held = heldOf(250)
    models.makeRoom(large, 10)
    assert.strictEqual(heldNames("abcd"), "d")
    const larger = models.used("e", 11)
    larger.held = heldOf(400)
    models.makeRoom(larger, 11)
    assert.strictEqual(heldNames("abcde"), "")
  })

  it("of the model in use go last, though another was used after it", () => {
    const { heldNames, models } = filled(3 * one, "abc")
    const growing = models.used("a", 10)
    models.used("b", 11)
    growing.held = heldOf(200)
    models.makeRoom(growing, 12)
    assert.strictEqual(heldNames("abc"), "ab")
  })

  it("that went are not read again for a minute, and begin to be counted anew", () => {
    const { models } = filled(3 * one - 1, "abc")
    const { held, notBefore, searches } = models.used("a", 100)
    assert.deepStrictEqual({ held, notBefore, searches }, { held: undefined, notBefore: 60_002, searches: 0 })
  })

  it("take nothing from models that hold none", () => {
    const models = new HeldModels(one)
    const waiting = models.used("a", 0)
    waiting.searches = 1
    for (const name of "bc") {
      const entry = models.used(name, 1)
      entry.held = heldOf(100)
      models.makeRoom(entry, 1)
    }
    assert.deepInclude(waiting, { searches: 1, notBefore: 0 })
  })

  it("go when nobody has asked for half an hour, and not sooner", () => {
    const { heldNames, models } = filled(3 * one, "abc")
    models.used("b", HOUR / 2)
    models.dropUnused(HOUR / 2)
    assert.strictEqual(heldNames("abc"), "abc")
    // The others were used at 0 and 2 ms.
    const again = filled(3 * one, "abc")
    again.models.used("b", HOUR / 2)
    again.models.dropUnused(HOUR / 2 + 1)
    assert.strictEqual(again.heldNames("abc"), "bc")
  })

  it("are known of a thousand models, those that were used last", () => {
    const models = new HeldModels(one)
    const first = models.used("0", 0)
    first.held = heldOf(1)
    for (let n = 1; n < 1_000; n++) models.used(String(n), n)
    assert.strictEqual(models.used("0", 1_000), first)
    for (let n = 1_000; n < 1_999; n++) models.used(String(n), n)
    assert.strictEqual(models.used("0", 2_000), first)
    for (let n = 2_000; n < 3_000; n++) models.used(String(n), n)
    assert.notStrictEqual(models.used("0", 4_000), first)
  })
})
