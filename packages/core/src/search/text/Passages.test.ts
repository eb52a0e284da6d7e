// Where the passages of an appeal begin and end.
import { assert, describe, it } from "@effect/vitest"
import { appeal } from "../../testing/EvidenceFixtures.ts"
import { passagesOf } from "./Passages.ts"

/** Words of the passage in the middle of an appeal of so many texts of one word. */
const middleOf = (count: number): number | undefined => {
  const texts = Array.from({ length: count }, () => "роутер")
  return passagesOf(appeal({ documentId: 1, texts })).passages[6]?.words
}

describe("passages", () => {
  it("are three messages of an appeal of up to twelve, and five of a longer one", () => {
    assert.deepStrictEqual([middleOf(12), middleOf(13)], [3, 5])
  })
})
