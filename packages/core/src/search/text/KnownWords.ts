// Frequent words, which are not corrected, and the sequences of three letters in them: a word with another sequence is no
// correction. endings.NOTICE.md names the sources of the file.
import { Result } from "effect"
import { Base64 } from "effect/encoding"
import file from "./known.json" with { type: "json" }

/** Frequent words, folded, as a Bloom filter: one in a thousand others passes as known too. */
const KNOWN_BITS = 1 << 19
const HASHES = 5

const has = (bits: Uint8Array, bit: number): boolean => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const hash = (text: string, seed: number): number => {
  let sum = OFFSET ^ seed
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), PRIME)
  return (sum ^ (sum >>> 15)) >>> 0
}

// Letters of an alphabet by their places, behind the edge of a word.
const alphabets = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщьюяіїєыэъґ"].map((letters) => ({
  letters: new Map(Array.from(`^${letters}`, (letter, place) => [letter, place])),
  triples: (letters.length + 1) ** 3
}))

const known = Result.getOrThrow(Base64.decode(file.known))
const triples = Result.getOrThrow(Base64.decode(file.triples))

/** Whether a folded word is frequent in one of the three languages. */
export const isKnown = (folded: string): boolean => {
  // Without a list of bits, because each mistyped word checks a thousand others.
  const [first, step] = [hash(folded, 0), hash(folded, PRIME) | 1]
  for (let at = 0; at < HASHES; at++) {
    if (!has(known, ((first + at * step) >>> 0) % KNOWN_BITS)) return false
  }
  return true
}

/** Whether every three adjacent letters of a folded word occur in known words. */
export const isPossible = (folded: string): boolean => impossibleAt(folded) === undefined

/** How many sequences of three letters of the folded word occur in no known word; counts up to `most` plus one. */
export const impossibleIn = (folded: string, most = Infinity): number => {
  let count = 0
  for (let at = impossibleAt(folded); at !== undefined && count <= most; at = impossibleAt(folded, at + 1))
    count++
  return count
}

/**
 * The middle of the first three letters from `begin` on that occur together in no known word; undefined without such letters. An
 * edge of the word counts as a letter. In a word of several alphabets every place is impossible.
 */
export const impossibleAt = (folded: string, begin = 0): number | undefined => {
  let from = 0
  for (const alphabet of alphabets) {
    const at = placeIn(alphabet, from, folded, begin)
    if (at !== null) return at
    from += alphabet.triples
  }
  return begin < folded.length ? begin : undefined
}

/** The same in one alphabet; null if a letter is of another one. */
const placeIn = (
  { letters }: (typeof alphabets)[number],
  from: number,
  folded: string,
  begin: number
): number | undefined | null => {
  const { size } = letters
  let found: number | undefined
  // The edge is place 0 of every alphabet.
  let [first, second] = [-1, 0]
  for (let at = 0; at <= folded.length; at++) {
    const third = at === folded.length ? 0 : letters.get(folded[at] ?? "")
    if (third === undefined) return null
    if (
      first !== -1 &&
      found === undefined &&
      at > begin &&
      !has(triples, from + (first * size + second) * size + third)
    )
      found = at - 1
    first = second
    second = third
  }
  return found
}
