// Order, and removal from any place; what is kept of what was removed: server/http/admission/LetGo.test.ts.
import { assert, describe, it } from "@effect/vitest"
import { LinkedList } from "./LinkedList.ts"
import * as fc from "fast-check"

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
})
