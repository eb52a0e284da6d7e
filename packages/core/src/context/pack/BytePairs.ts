// Counts the tokens of o200k_base in a text: pieces as its expression cuts them, and in each the pairs of bytes that merge.
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { TOKEN_PIECE_UNITS_MAX } from "../PackLimits.ts"
import { NO_RANK, readTokenTable } from "./TokenTable.ts"
import { tokenTableBytes } from "./TokenTableBytes.ts"

const rankOf = readTokenTable(tokenTableBytes)

/** Bytes of a UTF-16 unit at most. */
export const UNIT_BYTES_MAX = 3

const encoder = new TextEncoder()
const bytes = new Uint8Array(TOKEN_PIECE_UNITS_MAX * UNIT_BYTES_MAX)
/** Where each part of a piece begins, and the rank of what it and the next make together. */
const starts = new Uint16Array(bytes.length + 2)
const ranks = new Int32Array(bytes.length + 1)

/** Tokens of a text of at most TOKEN_PIECE_UNITS_MAX units. Names of special tokens are the text that they are. */
export const countBytePairs = (text: string): number => {
  let tokens = 0
  for (const [piece] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) tokens += countPiece(piece)
  return tokens
}

const countPiece = (piece: string): number => {
  const length = encoder.encodeInto(piece, bytes).written
  if (rankOf(bytes, 0, length) !== NO_RANK) return 1
  let parts = length
  for (let i = 0; i <= length; i++) starts[i] = i
  const pair = (at: number): number =>
    at + 2 > parts ? NO_RANK : rankOf(bytes, starts[at] ?? 0, starts[at + 2] ?? 0)
  for (let i = 0; i < length; i++) ranks[i] = pair(i)
  while (parts > 1) {
    const lowest = lowestOf(parts - 1)
    if (lowest === undefined) break
    starts.copyWithin(lowest + 1, lowest + 2, parts + 1)
    ranks.copyWithin(lowest, lowest + 1, parts)
    parts--
    ranks[lowest] = pair(lowest)
    if (lowest > 0) ranks[lowest - 1] = pair(lowest - 1)
  }
  return parts
}

/** The first of the pairs that merge before all others. */
const lowestOf = (pairs: number): number | undefined => {
  let lowest: number | undefined
  let least = NO_RANK
  for (let i = 0; i < pairs; i++) {
    const rank = ranks[i] ?? NO_RANK
    if (rank >= least) continue
    least = rank
    lowest = i
  }
  return lowest
}
