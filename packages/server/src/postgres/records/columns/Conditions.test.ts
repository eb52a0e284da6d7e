import type { StoredField } from "@rapport/core/records/RecordStore.ts"
import { assert, describe, it } from "@effect/vitest"
import { blocksOf, isTexts, layoutOf, type Row } from "./Block.ts"
import { conditionOf } from "./Conditions.ts"

const note: StoredField = {
  id: 7,
  name: "note",
  type: "TEXT",
  required: false,
  unique: false,
  rules: {},
  target: null
}
const layout = layoutOf([note])
const rows = (texts: ReadonlyArray<string | null>): ReadonlyArray<Row> =>
  texts.map((text, i) => [i + 1, 0, 0, text])
const leaf = (value: string) => ({ field: "note", operator: "contains", value }) as const
const CHARACTERS_MAX = 131_072

describe("columns of custom data", () => {
  it("keeps blocks small enough to be looked through at once", () => {
    const texts = Array.from({ length: 600 }, (_, i) => "а".repeat(i % 2 === 0 ? 10_000 : 3))
    const blocks = blocksOf(layout, rows([...texts, "ї".repeat(200_000), "кінець"]))
    for (const { columns, size } of blocks) {
      const [, , , column] = columns
      assert.isTrue(isTexts(column) && (size === 1 || column.joined.length <= CHARACTERS_MAX + size + 1))
      assert.isAtMost(size, 512)
    }
    assert.strictEqual(
      blocks.reduce((sum, { size }) => sum + size, 0),
      602
    )
  })

  it("lets others have their turn after each condition, and where there is none", () => {
    const [block] = blocksOf(layout, rows(["ааа", null, "Аб"]))
    const words = ["а", "б", "в"]
    const judging = {
      fields: [note],
      layout,
      texts: new Map(words.map((word) => [word, { low: word, same: 0 }]))
    }
    const stepsOf = (where: Parameters<typeof conditionOf>[1]) => {
      const condition = conditionOf(judging, where)
      assert.isDefined(block)
      return [...(condition?.steps(block, new Uint8Array(block.size).fill(1)) ?? [])].length
    }
    assert.isAtLeast(stepsOf({ or: words.map(leaf) }), words.length)
    assert.isAtLeast(stepsOf({ and: [{ or: words.map(leaf) }, leaf("а")] }), words.length + 1)
    assert.isAtLeast(stepsOf({ and: [] }), 1)
  })
})
