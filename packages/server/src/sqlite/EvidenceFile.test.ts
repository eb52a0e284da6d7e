// Which files of the embedded index are used again after an upgrade.
import { afterAll, assert, describe, it } from "@effect/vitest"
import { EVIDENCE_FORMAT, SQLITE_FORMATS_USED } from "@rapport/core/search/EvidenceFormat.ts"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { makeEvidenceFile, openEvidenceFile } from "./EvidenceFile.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-evidence-file-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Whether a published file of this format is served; undefined: it is not used. */
const served = (format: number): boolean | undefined => {
  const at = path.join(folder, `evidence-${format}.sqlite`)
  const made = makeEvidenceFile(at)
  made.exec(`update about set published = 1; pragma user_version = ${format}`)
  made.close()
  const opened = openEvidenceFile(at)
  opened?.file.close()
  return opened?.published
}

describe("openEvidenceFile", () => {
  it("serves files of this format and of those that hold the same", () => {
    assert.include(SQLITE_FORMATS_USED, EVIDENCE_FORMAT)
    assert.deepStrictEqual(
      SQLITE_FORMATS_USED.map(served),
      SQLITE_FORMATS_USED.map(() => true)
    )
  })

  it("uses no file of a format that holds something else", () => {
    const others = [0, 3, 4, 5, 6, EVIDENCE_FORMAT + 1]
    assert.deepStrictEqual(
      others.map(served),
      others.map(() => undefined)
    )
  })
})
