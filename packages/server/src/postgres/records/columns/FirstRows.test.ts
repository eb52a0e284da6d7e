// Blocks behind what was found are not looked at, however many records share the first values of the order.
import { assert, describe, it } from "@effect/vitest"
import { type Block, blocksOf, idOf, layoutOf } from "./Block.ts"
import { behind, FirstRows, orderOf } from "./FirstRows.ts"

const layout = layoutOf([])
/** Records that were made and changed at these times. */
const blocksWith = (times: (id: number) => readonly [created: number, updated: number]) =>
  blocksOf(
    layout,
    Array.from({ length: 2_000 }, (_, i) => [i + 1, ...times(i + 1)])
  )
type Directions = ReadonlyArray<"asc" | "desc">
const ordered = (directions: Directions) => {
  const orders = ["createdAt", "updatedAt", "id"].map((field, i) => ({
    field,
    direction: directions[i] ?? "asc"
  }))
  return orderOf({ fields: [], layout }, { after: null, orders }) ?? assert.fail("no order")
}
const found = (blocks: ReadonlyArray<Block>, directions: Directions) => {
  const order = ordered(directions)
  const first = new FirstRows(order, 3)
  const seen: Array<number> = []
  for (const block of first.inOrder(blocks)) {
    if (first.isDone(block)) break
    seen.push(idOf(block, 0))
    first.offer(block, new Uint8Array(block.size).fill(1))
  }
  return { ids: first.ids(), seen }
}

/** How many records are skipped, and the first ids of the blocks that are left. */
const left = (blocks: ReadonlyArray<Block>, directions: Directions, offset: number) => {
  const rest = behind(ordered(directions), blocks, offset)
  return [rest.skipped, ...rest.blocks.map((block) => idOf(block, 0))]
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

describe("blocks behind an offset", () => {
  it("are those that the record at the offset is in, or comes before", () => {
    const risen = blocksWith((id) => [id, 1])
    assert.deepStrictEqual(left(risen, ["asc"], 511), [0, 1, 513, 1_025, 1_537])
    assert.deepStrictEqual(left(risen, ["asc"], 512), [512, 513, 1_025, 1_537])
    assert.deepStrictEqual(left(risen, ["desc"], 1_000), [976, 513, 1])
    assert.deepStrictEqual(left(risen, ["asc"], 9_000), [2_000])
    const same = blocksWith(() => [5, 7])
    assert.deepStrictEqual(left(same, ["asc", "asc", "desc"], 1_500), [1_488, 1])
  })

  it("are kept where one of their records comes before some of another block", () => {
    const halves = blocksWith((id) => [id % 2, 7])
    assert.deepStrictEqual(left(halves, ["asc"], 1_999), [0, 1, 513, 1_025, 1_537])
    const late = blocksWith((id) => [id === 600 ? 1_030 : id, 1])
    assert.deepStrictEqual(left(late, ["asc"], 1_100), [512, 513, 1_025, 1_537])
    assert.deepStrictEqual(left(late, ["asc"], 1_600), [1_536, 1_537])
  })
})
