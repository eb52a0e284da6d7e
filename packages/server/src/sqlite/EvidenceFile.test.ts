// Which files of the embedded index are used again after an upgrade.
import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  EVIDENCE_FORMAT,
  SQLITE_FORMATS_READABLE,
  SQLITE_FORMATS_USED
} from "@rapport/core/search/EvidenceFormat.ts"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { INTEGER, makeEvidenceFile, numberAt, openEvidenceFile, rowOf } from "./EvidenceFiles.ts"
import { DatabaseSync } from "node:sqlite"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-evidence-file-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** How a published file of this format is used; undefined: it is not. */
const used = (format: number): string | undefined => {
  const at = path.join(folder, `evidence-${format}.sqlite`)
  const made = makeEvidenceFile(at)
  made.exec(`update about set published = 1; pragma user_version = ${format}`)
  made.close()
  const opened = openEvidenceFile(at)
  opened?.file.close()
  if (opened?.published !== true) return undefined
  return opened.file.outdated ? "outdated" : "current"
}

describe("openEvidenceFile", () => {
  it("serves files of this format and of those that hold the same", () => {
    assert.include(SQLITE_FORMATS_USED, EVIDENCE_FORMAT)
    assert.deepStrictEqual(
      SQLITE_FORMATS_USED.map(used),
      SQLITE_FORMATS_USED.map(() => "current")
    )
  })

  it("serves files of older formats with the same tables, as outdated", () => {
    assert.include(SQLITE_FORMATS_READABLE, 7)
    assert.deepStrictEqual(
      SQLITE_FORMATS_READABLE.map(used),
      SQLITE_FORMATS_READABLE.map(() => "outdated")
    )
  })

  it("uses no file of a format that holds something else", () => {
    const others = [0, 3, 4, 5, 6, EVIDENCE_FORMAT + 1]
    assert.deepStrictEqual(
      others.map(used),
      others.map(() => undefined)
    )
  })
})

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
