// Which files of the embedded index are used again after an upgrade.
import { afterAll, assert, it } from "@effect/vitest"
import {
  EVIDENCE_FORMAT,
  SQLITE_FORMATS_READABLE,
  SQLITE_FORMATS_USED
} from "@rapport/core/search/EvidenceFormat.ts"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { makeEvidenceFile, openEvidenceFile } from "./EvidenceFiles.ts"

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

it("index files of this format and of equal ones are used", () => {
  assert.include(SQLITE_FORMATS_USED, EVIDENCE_FORMAT)
  assert.deepStrictEqual(
    SQLITE_FORMATS_USED.map(used),
    SQLITE_FORMATS_USED.map(() => "current")
  )
})

it("index files of older formats with the same tables are used as outdated", () => {
  assert.include(SQLITE_FORMATS_READABLE, 7)
  assert.deepStrictEqual(
    SQLITE_FORMATS_READABLE.map(used),
    SQLITE_FORMATS_READABLE.map(() => "outdated")
  )
})

it("index files of a different format are not used", () => {
  const others = [0, 3, 4, 5, 6, EVIDENCE_FORMAT + 1]
  assert.deepStrictEqual(
    others.map(used),
    others.map(() => undefined)
  )
})
