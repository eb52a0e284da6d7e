// The vocabulary of o200k_base as one table outside the heap: 200,000 strings in a map would be a tenth of what the service
// holds at rest, and a part of its start. The bundle has the table as a file.

/** As many as make a search for what is not there short. A power of two. */
const SLOTS = 2 ** 19
const BYTES_OF_UNIT_MAX = 3

/** A token as the package has it; a number may stand for none. */
type Token = string | ReadonlyArray<number> | undefined

/** Slots, then where each token begins, one more for the end of the last, then the bytes of all tokens. */
export const makeTokenTable = (vocabulary: ReadonlyArray<Token>): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder()
  // A unit of a text takes three bytes at most.
  const bytes = new Uint8Array(
    vocabulary.reduce((sum, token) => sum + BYTES_OF_UNIT_MAX * (token?.length ?? 0), 0)
  )
  const starts = new Uint32Array(vocabulary.length + 1)
  let end = 0
  for (const [rank, token] of vocabulary.entries()) {
    starts[rank] = end
    if (typeof token === "string") end += encoder.encodeInto(token, bytes.subarray(end)).written
    else if (token !== undefined) {
      bytes.set(token, end)
      end += token.length
    }
  }
  starts[vocabulary.length] = end
  const head = 1 + SLOTS + starts.length
  const words = new Uint32Array(head + Math.ceil(end / Uint32Array.BYTES_PER_ELEMENT))
  words[0] = vocabulary.length
  words.set(starts, 1 + SLOTS)
  for (let rank = 0; rank < vocabulary.length; rank++) {
    const [from, to] = [starts[rank] ?? 0, starts[rank + 1] ?? 0]
    if (from === to) continue
    let slot = hashOf(bytes, from, to)
    while (words[1 + slot] !== 0) slot = (slot + 1) % SLOTS
    words[1 + slot] = rank + 1
  }
  const table = new Uint8Array(words.buffer, 0, head * Uint32Array.BYTES_PER_ELEMENT + end)
  table.set(bytes.subarray(0, end), head * Uint32Array.BYTES_PER_ELEMENT)
  return table
}

/** FNV-1a, as far as there are slots. */
const hashOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193)
  return (hash ^ (hash >>> 19)) & (SLOTS - 1)
}

/** Of a token its number, of other bytes `NO_RANK`. */
export type RankOf = (bytes: Uint8Array, start: number, end: number) => number

export const NO_RANK = 2 ** 31 - 1

export const readTokenTable = (table: Uint8Array<ArrayBuffer>): RankOf => {
  const size = new Uint32Array(table.buffer, table.byteOffset, 1)[0] ?? 0
  const words = new Uint32Array(table.buffer, table.byteOffset, 1 + SLOTS + size + 1)
  const slots = words.subarray(1, 1 + SLOTS)
  const starts = words.subarray(1 + SLOTS)
  const tokens = table.subarray(words.byteLength)
  const isToken = (rank: number, bytes: Uint8Array, start: number, end: number): boolean => {
    const from = starts[rank] ?? 0
    if ((starts[rank + 1] ?? 0) - from !== end - start) return false
    for (let i = start; i < end; i++) if (tokens[from + i - start] !== bytes[i]) return false
    return true
  }
  return (bytes, start, end) => {
    let slot = hashOf(bytes, start, end)
    for (let held = slots[slot] ?? 0; held !== 0; held = slots[slot] ?? 0) {
      if (isToken(held - 1, bytes, start, end)) return held - 1
      slot = (slot + 1) & (SLOTS - 1)
    }
    return NO_RANK
  }
}
