// Blocks behind what was found are not looked at, however many records share the first values of the order.
import { assert, describe, it } from "@effect/vitest"
import { type Block, blocksOf, idOf, layoutOf } from "./Block.ts"
import { FirstRows, orderOf } from "./FirstRows.ts"

const layout = layoutOf([])
/** Records that were made and changed at these times. */
const blocksWith = (times: (id: number) => readonly [created: number, updated: number]) =>
  blocksOf(
    layout,
    Array.from({ length: 2_000 }, (_, i) => [i + 1, ...times(i + 1)])
  )
const found = (blocks: ReadonlyArray<Block>, directions: ReadonlyArray<"asc" | "desc">) => {
  const orders = ["createdAt", "updatedAt", "id"].map((field, i) => ({
    field,
    direction: directions[i] ?? "asc"
  }))
  const order = orderOf({ fields: [], layout }, { after: null, orders })
  assert.isDefined(order)
  const first = new FirstRows(order, 3)
  const seen: Array<number> = []
  for (const block of first.inOrder(blocks)) {
    if (first.isDone(block)) break
    seen.push(idOf(block, 0))
    first.offer(block, new Uint8Array(block.size).fill(1))
  }
  return { ids: first.ids(), seen }
}

describe("the first records of an order", () => {
  it("are in one block where all others come behind them by their later values", () => {
    const same = blocksWith(() => [5, 7])
    assert.deepStrictEqual(found(same, ["asc", "asc", "asc"]), { ids: [1, 2, 3], seen: [1] })
    assert.deepStrictEqual(found(same, ["asc", "desc", "desc"]).ids, [2_000, 1_999, 1_998])
    assert.lengthOf(found(same, ["asc", "desc", "desc"]).seen, 1)
    const halves = blocksWith((id) => [id % 2, 7])
    assert.deepStrictEqual(found(halves, ["asc", "asc", "asc"]), { ids: [2, 4, 6], seen: [1] })
  })

  it("are looked for in every block that may have some", () => {
    const turned = blocksWith((id) => [5, id % 512 === 100 ? 1 : 9])
    assert.deepStrictEqual(found(turned, ["asc", "asc", "desc"]).ids, [1_636, 1_124, 612])
    const late = blocksWith((id) => [id > 1_997 ? 1 : 5, id])
    assert.deepStrictEqual(found(late, ["asc", "desc", "asc"]).ids, [2_000, 1_999, 1_998])
  })
})
