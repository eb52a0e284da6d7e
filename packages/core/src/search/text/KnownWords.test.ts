// The fast lookups of the spelling correction agree with plain lookups of the bits in known.json.
import { assert, describe, it } from "@effect/vitest"
import file from "./known.json" with { type: "json" }
import { impossibleIn, isKnown, isPossible } from "./KnownWords.ts"
import { oneEdit } from "./Spelling.ts"

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
const [known, triples] = [bytesOf(file.known), bytesOf(file.triples)]
const isIn = (bits: Uint8Array) => (bit: number) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0

const hashOf = (text: string, seed: number): number => {
  const sum = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).reduce(
    (before, unit) => Math.imul(before ^ unit, 0x01000193),
    0x811c9dc5 ^ seed
  )
  return (sum ^ (sum >>> 15)) >>> 0
}
/** Bits that a known word sets. */
const knownBits = (word: string): ReadonlyArray<number> => {
  const step = hashOf(word, 0x01000193) | 1
  return [0, 1, 2, 3, 4].map((times) => ((hashOf(word, 0) + times * step) >>> 0) % 2 ** 19)
}

const latin = "^abcdefghijklmnopqrstuvwxyz"
const cyrillic = "^абвгдежзийклмнопрстуфхцчшщьюяіїєыэъґ"
const triplesIn = (alphabet: string, from: number, word: string): ReadonlyArray<number> => {
  const places = Array.from(`^${word}^`, (letter) => alphabet.indexOf(letter))
  return places.slice(2).map((_, at) => {
    const [first = 0, second = 0, third = 0] = places.slice(at)
    return from + (first * alphabet.length + second) * alphabet.length + third
  })
}
/** Bits of the sequences of three letters, with the edges of the word; undefined if the letters are of no single alphabet. */
const tripleBits = (word: string): ReadonlyArray<number> | undefined => {
  if (/^[\^a-z]*$/u.test(word)) return triplesIn(latin, 0, word)
  return Array.from(word).every((letter) => cyrillic.includes(letter))
    ? triplesIn(cyrillic, latin.length ** 3, word)
    : undefined
}

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
