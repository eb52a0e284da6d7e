// The optimised lookups of the spelling correction agree with plain lookups of the bits in known.json.
import { assert, describe, it } from "@effect/vitest"
import file from "./known.json" with { type: "json" }
import { impossibleIn, isKnown, isPossible, knownBits, tripleBits } from "./KnownWords.ts"
import { oneEdit } from "./Spelling.ts"

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
const [known, triples] = [bytesOf(file.known), bytesOf(file.triples)]
const isIn = (bits: Uint8Array) => (bit: number) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0

const words = ["доставка", "їжак", "invoice", "доставкaq", "рахунок1", "^рахунок", "a", "", "ьъыщ", "😀"]

describe("the known words", () => {
  it("are those whose bits are set, and possible words have only known sequences of letters", () => {
    const candidates = words.flatMap((word) => [word, ...oneEdit(word).slice(0, 300)])
    for (const word of candidates) {
      assert.strictEqual(isKnown(word), knownBits(word).every(isIn(known)), word)
      const bits = tripleBits(word)
      assert.strictEqual(
        impossibleIn(word),
        bits?.filter((bit) => !isIn(triples)(bit)).length ?? word.length,
        word
      )
      assert.strictEqual(isPossible(word), tripleBits(word)?.every(isIn(triples)) ?? false, word)
    }
    for (const test of [isKnown, isPossible])
      assert.sameMembers([...new Set(candidates.map(test))], [true, false])
  })
})
