// What our statements rely on in SQLite.
import { assert, it } from "@effect/vitest"
import { DatabaseSync } from "node:sqlite"
import { INTEGER, numberAt, rowOf } from "./SqliteRow.ts"

/** Of one word; a walk through all of them takes some hundred times as long as reading the newest three. */
const ROWS = 50_000
const TIMES = 20

it("full text begins at a bound that is an integer, and walks all rows of a word for one that is not", () => {
  const file = new DatabaseSync(":memory:")
  file.exec("create virtual table texts using fts5 (words, content=''); begin")
  const insert = file.prepare("insert into texts (rowid, words) values (?, ?)")
  for (let row = 1; row <= ROWS; row++) insert.run(row, "рахунок")
  file.exec("commit")
  const search = (bound: string) => {
    const rows = file.prepare(
      `select rowid from texts where texts match ? and rowid >= ${bound} order by rowid desc`
    )
    rows.setReturnArrays(true)
    const found = () => rows.all('"рахунок"', ROWS - 2).map((row) => numberAt(rowOf(row), 0))
    assert.deepStrictEqual(found(), [ROWS, ROWS - 1, ROWS - 2])
    const took = Array.from({ length: TIMES }, () => {
      const startedAt = performance.now()
      found()
      return performance.now() - startedAt
    })
    return Math.min(...took)
  }
  assert.isBelow(search(INTEGER), search("?") / 5)
})
