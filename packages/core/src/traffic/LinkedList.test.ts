// Order, removal from any place, and what is kept: nothing that was removed, however long the list lives.
import { assert, describe, it } from "@effect/vitest"
import { LinkedList } from "./LinkedList.ts"
import * as fc from "fast-check"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" | "major" }) => void = runInNewContext("gc")

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0

/** Values at once, of so many bytes, as often as they come and go between two collections, and collections. */
const AT_ONCE = 8
const BYTES = 16 * 1_024
const TIMES = 64
const COLLECTIONS = 40

/** What grew old while values came and went. */
const grownBy = (come: () => () => void): number => {
  const gone: Array<() => void> = []
  const turn = () => {
    gone.push(come())
    if (gone.length > AT_ONCE) gone.shift()?.()
  }
  for (let n = 0; n < AT_ONCE; n++) turn()
  // What holds them grows old.
  collect({ type: "major" })
  collect({ type: "major" })
  const before = oldBytes()
  for (let n = 0; n < COLLECTIONS; n++) {
    for (let m = 0; m < TIMES; m++) turn()
    collect({ type: "minor" })
  }
  return oldBytes() - before
}

const valueOf = () => Array.from({ length: BYTES / 8 }, () => 0.5)

describe("LinkedList", () => {
  it("holds what an array would", () => {
    const step = fc.oneof(
      fc.record({ add: fc.nat() }),
      fc.record({ remove: fc.nat() }),
      fc.constant("shift" as const)
    )
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const list = new LinkedList<number>()
        const added: Array<ReturnType<typeof list.add>> = []
        let held: ReadonlyArray<ReturnType<typeof list.add>> = []
        for (const one of steps)
          if (one === "shift") {
            list.shift()
            held = held.slice(1)
          } else if ("add" in one) {
            const link = list.add(one.add)
            added.push(link)
            held = [...held, link]
          } else {
            const link = added[one.remove % Math.max(1, added.length)]
            if (link === undefined) continue
            assert.strictEqual(list.remove(link), held.includes(link))
            held = held.filter((other) => other !== link)
          }
        const values = held.map(({ value }) => value)
        assert.deepStrictEqual([...list], values)
        assert.strictEqual(list.size, values.length)
        assert.strictEqual(list.first, values[0])
      })
    )
  })

  it("goes on where the value at hand is removed", () => {
    const list = new LinkedList<string>()
    const links = new Map(["один", "два", "three"].map((value) => [value, list.add(value)]))
    const seen: Array<string> = []
    for (const value of list) {
      seen.push(value)
      const link = links.get(value)
      if (link !== undefined) list.remove(link)
    }
    assert.deepStrictEqual(seen, ["один", "два", "three"])
    assert.strictEqual(list.size, 0)
  })

  it("keeps nothing of what was removed", () => {
    const list = new LinkedList<ReadonlyArray<number>>()
    const grown = grownBy(() => {
      const link = list.add(valueOf())
      return () => void list.remove(link)
    })
    // 40 MiB came and went.
    assert.isBelow(grown, (COLLECTIONS * TIMES * BYTES) / 20)
  })
})
