import { assert, it } from "@effect/vitest"
import { BoundedMap } from "./BoundedMap.ts"

it("a BoundedMap keeps at least the latest half of its bound, and at most its bound", () => {
  const map = new BoundedMap<number, number>(100)
  for (let key = 0; key < 1_000; key++) map.set(key, key)
  const kept = Array.from({ length: 1_000 }, (_, key) => key).filter((key) => map.get(key) !== undefined)
  assert.isAtMost(kept.length, 100)
  assert.includeMembers(
    kept,
    Array.from({ length: 50 }, (_, at) => 950 + at)
  )
})

it("a BoundedMap keeps an entry that is written again", () => {
  const map = new BoundedMap<string, string>(4)
  for (let n = 0; n < 100; n++) {
    map.set("Олена", `client ${n}`)
    map.set(`other ${n}`, "client")
    assert.strictEqual(map.get("Олена"), `client ${n}`)
  }
})

it("a BoundedMap deletes an entry of either generation and returns whether it existed", () => {
  const map = new BoundedMap<number, number>(4)
  for (const key of [1, 2, 3]) map.set(key, key)
  map.set(1, 10)
  assert.isTrue(map.delete(1))
  assert.isUndefined(map.get(1))
  assert.isFalse(map.delete(1))
  assert.isTrue(map.delete(3))
  assert.strictEqual(map.get(2), 2)
})

it("a BoundedMap computes a value once", () => {
  const map = new BoundedMap<string, number>(10)
  let computed = 0
  const read = () => map.getOrSet("ёж", (key) => (computed++, key.length))
  assert.deepStrictEqual([read(), read(), computed], [2, 2, 1])
})
