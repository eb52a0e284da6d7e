// The words of an instance are counted exactly: an erased text leaves none of its own behind (contract §9).
import { afterAll, assert, describe, it } from "@effect/vitest"
import { appeal, removal, upsert } from "@rapport/core/testing/EvidenceFixtures.ts"
import type { DocumentChange } from "@rapport/core/search/DocumentProjection.ts"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { makeEvidenceFile, rowOf } from "./EvidenceFiles.ts"
import { knownStems, makeVocabulary, saidStems } from "./EvidenceVocabulary.ts"
import { writeChange } from "./EvidenceWrites.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-vocabulary-"))
const file = makeEvidenceFile(path.join(folder, "evidence-1.sqlite"))
afterAll(() => {
  file.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const write = (changes: ReadonlyArray<DocumentChange>) => {
  const vocabulary = makeVocabulary(file, 1)
  for (const change of changes) Effect.runSync(writeChange(file, 1, change, vocabulary, Effect.void))
  vocabulary.write()
}
const kept = () => file.write("select stem, texts from word order by stem").all().map(rowOf)

describe("the vocabulary of an instance", () => {
  it("holds the words of its texts, not the names of speakers, and forgets them with the text", () => {
    const [first, second] = ["one refund", "one parcel"].map((text, at) =>
      appeal({ documentId: at + 1, texts: [text] })
    )
    if (first === undefined || second === undefined) throw new RangeError("two appeals are made")
    const named = { ...second, texts: second.texts?.map((text) => ({ ...text, speaker: "Olena" })) ?? null }
    write([upsert(first), upsert(named)])
    assert.deepStrictEqual(kept(), [
      ["on", 2],
      ["parcel", 1],
      ["refund", 1]
    ])
    assert.deepStrictEqual(knownStems(file, 1, ["parcel", "olena", "absent"]), ["parcel"])
    assert.deepStrictEqual(knownStems(file, 2, ["parcel"]), [])
    write([upsert({ ...named, revision: 2, texts: [{ id: 1, speaker: "Olena", text: "one" }] })])
    assert.deepStrictEqual(kept(), [
      ["on", 2],
      ["refund", 1]
    ])
    write([removal(1, 2), removal(2, 3)])
    assert.deepStrictEqual(kept(), [])
  })

  it("tells the words that were said from the names before them", () => {
    assert.deepStrictEqual([...saidStems("olena petrenko parcels", 2)], ["parcel"])
    assert.deepStrictEqual([...saidStems("olena", 1)], [])
    assert.deepStrictEqual([...saidStems("", 0)], [])
  })
})
