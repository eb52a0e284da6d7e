// The folder of the embedded index at a start: after an upgrade, and after a kill at each step of the rebuild.
import { assert, it } from "@effect/vitest"
import { EVIDENCE_FORMAT, SQLITE_FORMATS_READABLE } from "@rapport/core/search/EvidenceFormat.ts"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { EvidenceFolder, makeEvidenceFile } from "./EvidenceFiles.ts"

const [older = 0] = SQLITE_FORMATS_READABLE

interface Left {
  readonly format: number
  readonly published: boolean
}

const nameOf = (file: { readonly path: string } | undefined) => file && path.basename(file.path)

/** Files evidence-1, evidence-2 and so on, as a stopped process has left them; gives what a start makes of them. */
const start = (left: ReadonlyArray<Left>, then: (folder: EvidenceFolder) => void = () => {}) => {
  const at = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-evidence-folder-"))
  try {
    for (const [i, { format, published }] of left.entries()) {
      const file = makeEvidenceFile(path.join(at, `evidence-${i + 1}.sqlite`))
      file.exec(`update about set published = ${published ? 1 : 0}; pragma user_version = ${format}`)
      file.close()
    }
    const folder = new EvidenceFolder(at)
    const active = folder.active()
    then(folder)
    const found = {
      active: nameOf(folder.active()),
      outdated: folder.active().outdated,
      before: nameOf(active),
      building: nameOf(folder.building()),
      files: fs.readdirSync(at).filter((name) => name.endsWith(".sqlite"))
    }
    folder.close()
    return found
  } finally {
    fs.rmSync(at, { recursive: true })
  }
}

const old = { format: older, published: true }
const draft = { format: EVIDENCE_FORMAT, published: false }
const built = { format: EVIDENCE_FORMAT, published: true }
const first = "evidence-1.sqlite"
const second = "evidence-2.sqlite"
const third = "evidence-3.sqlite"

it("the index folder recovers from a kill during building and during publication", () => {
  assert.deepInclude(start([old, draft]), { active: first, outdated: true, building: second })
  assert.deepInclude(start([old, built]), { active: second, outdated: false, files: [second] })
  assert.deepInclude(start([old, draft, draft]), { active: first, building: third, files: [first, third] })
})

it("the index folder drops an unfinished file of an older format", () => {
  const drafted = start([old, { ...draft, format: older }])
  assert.deepInclude(drafted, { active: first, building: undefined, files: [first] })
})

it("the index folder replaces a file of a format that this version cannot read by an empty one", () => {
  for (const format of [0, 3, 4, 5, 6, EVIDENCE_FORMAT + 1]) {
    const other = { format, published: true }
    assert.deepInclude(start([other]), { outdated: false, building: undefined, files: [first] })
    assert.deepInclude(start([old, other]), { active: first, outdated: true, files: [first] })
  }
})

it("the index folder uses every older format with the same tables, and files of this format unchanged", () => {
  for (const format of SQLITE_FORMATS_READABLE)
    assert.deepInclude(start([{ format, published: true }]), { active: first, outdated: true })
  assert.deepInclude(start([built, draft]), { active: first, outdated: false, building: second })
})
