// Which letters, pairs and threes of letters the texts of a block hold, told apart by groups of its records: where a group lacks one
// of a word's threes none of its texts has to be looked through for the word (docs/performance.md).

/** Groups of a block: a bit of each bucket. */
const GROUPS = 16
/** Buckets that letters are hashed to, as powers of two; some for each letter of a group, so that a quarter of them is taken. */
const BITS_MIN = 6
const BITS_MAX = 13
const FACTOR = 0x9e3779b1

/** Of each bucket the groups that hold a letter, a pair or a three of it. */
export interface Grams {
  readonly buckets: Uint16Array
  readonly shift: number
}

/** The same of a pair behind nothing, and of a letter behind nothing twice. */
const hashOf = (first: number, second: number, third: number): number =>
  Math.imul(Math.imul(Math.imul(first, FACTOR) + second, FACTOR) + third, FACTOR)

/** Records of one group. */
export const groupSize = (size: number): number => Math.ceil(size / GROUPS)

/** Of texts in one, by where each of them begins and where one behind the last would. */
export const gramsOf = (joined: string, starts: Int32Array): Grams => {
  const size = starts.length - 1
  const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, Math.ceil(Math.log2(joined.length / 2))))
  const shift = 32 - bits
  const buckets = new Uint16Array(2 ** bits)
  const step = groupSize(size)
  const take = (hash: number, bit: number) => {
    buckets[hash >>> shift] = (buckets[hash >>> shift] ?? 0) | bit
  }
  for (let group = 0; group * step < size; group++) {
    const bit = 1 << group
    const end = starts[Math.min(size, (group + 1) * step)] ?? 0
    let [first, second] = [0, 0]
    for (let at = starts[group * step] ?? 0; at < end; at++) {
      const third = joined.charCodeAt(at)
      take(hashOf(first, second, third), bit)
      take(hashOf(0, second, third), bit)
      take(hashOf(0, 0, third), bit)
      first = second
      second = third
    }
  }
  return { buckets, shift }
}

/** What a text that contains the word must hold. */
export const hashesOf = (word: string): Int32Array => {
  const at = (place: number) => (place < 0 ? 0 : word.charCodeAt(place))
  // Of a short word the last alone: there is no three.
  const from = Math.min(2, word.length - 1)
  return Int32Array.from({ length: Math.max(0, word.length - from) }, (_, i) =>
    hashOf(at(from + i - 2), at(from + i - 1), at(from + i))
  )
}

/** A bit for each group that holds all of these. */
export const groupsWith = ({ buckets, shift }: Grams, hashes: Int32Array): number => {
  let groups = 2 ** GROUPS - 1
  for (let i = 0; i < hashes.length && groups !== 0; i++) groups &= buckets[(hashes[i] ?? 0) >>> shift] ?? 0
  return groups
}
