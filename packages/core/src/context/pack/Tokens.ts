// An upper bound of the tokens of JSON: never below the o200k_base count of the text, close to it, and equal for equal data.
// It is a sum over the parts of a pack, so that trimming can measure what it drops.
import { TOKEN_PIECE_UNITS_MAX } from "../PackLimits.ts"
import { BoundedMap } from "../../values/BoundedMap.ts"
import type { About, MeasuredPart } from "./PackDraft.ts"
import { isSentBack } from "../../json/SentBackJson.ts"
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { vocabulary } from "./Vocabulary.ts"

/** Short texts, names and pieces of texts whose token counts a process caches. */
const TOKEN_TEXTS_KEPT_MAX = 20_000
const TOKEN_NAMES_KEPT_MAX = 20_000
const TOKEN_PIECES_KEPT_MAX = 100_000
/** The longest text and name whose count is cached, in UTF-16 units. */
const TOKEN_TEXT_UNITS_MAX = 128

/** The value of `budget.tokens.estimator` (contract §3.2, "budget"). */
export const ESTIMATOR = "o200k_base-upper-bound/1"

/** Tokens of the comma between two elements of an array. */
export const COMMA_TOKENS = 1
/** Tokens of a number whose digits are not known yet: at most six. */
export const COUNT_TOKENS = 2

/**
 * Tokens of a value as `JSON.stringify` writes it. Texts count exactly, with a margin for tokens that may merge across
 * their ends; brackets, braces and the commas of arrays count one each, a name with its quotes, colon and comma once. Yields after
 * every SLICE_UNITS of text, so that other requests run.
 */
export function* countingValue(value: unknown): Generator<void, number> {
  const found: Array<string> = []
  let tokens = structureOf(value, found)
  let units = 0
  for (const text of found) {
    tokens += margin(text)
    if (text.length <= TOKEN_TEXT_UNITS_MAX) tokens += texts.getOrSet(text, countText)
    else if (text.length <= SLICE_UNITS) tokens += countText(text)
    else tokens += yield* countingLine(insideQuotes(text))
    units += text.length
    if (units > SLICE_UNITS) {
      units = 0
      yield
    }
  }
  return tokens
}

/** The same without yielding. */
export const tokensOf = (value: unknown): number => finished(countingValue(value))

/** Units of text that are counted in one step. The most expensive, long unknown words, take some ms. */
const SLICE_UNITS = 4_096

/** Tokens of everything but the texts, which are added to `found`. */
const structureOf = (value: unknown, found: Array<string>): number => {
  if (typeof value === "string") {
    found.push(value)
    return 0
  }
  if (typeof value === "number") return tokensOfNumber(value)
  if (typeof value !== "object" || value === null) return 1
  if (isSentBack(value)) return JSON.stringify(value).length
  let tokens = 2
  if (Array.isArray(value)) {
    for (const item of value) tokens += structureOf(item, found)
    return tokens + COMMA_TOKENS * Math.max(0, value.length - 1)
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    if (name.length > TOKEN_TEXT_UNITS_MAX) found.push(name)
    tokens +=
      (name.length > TOKEN_TEXT_UNITS_MAX ? NAME_TOKENS : tokensOfName(name)) + structureOf(member, found)
  }
  return tokens
}

// Quotes, colon and comma of a name.
const NAME_TOKENS = 4

const tokensOfNumber = (value: number): number => {
  const digits = String(value)
  return value >= 0 && digits.length <= 15 && Number.isInteger(value)
    ? Math.ceil(digits.length / 3)
    : digits.length
}

const texts = new BoundedMap<string, number>(TOKEN_TEXTS_KEPT_MAX)
const names = new BoundedMap<string, number>(TOKEN_NAMES_KEPT_MAX)
const pieces = new BoundedMap<string, number>(TOKEN_PIECES_KEPT_MAX)

const insideQuotes = (text: string): string => JSON.stringify(text).slice(1, -1)
const countText = (text: string): number => count(insideQuotes(text))

/** Tokens of the name of a member, with its quotes, colon and comma. */
export const tokensOfName = (name: string): number =>
  names.getOrSet(name, () => count(`,${JSON.stringify(name)}:`))

/** The closing quote, and one more at each end where punctuation or white space may be drawn into the quotes' token. */
const margin = (text: string): number =>
  text === ""
    ? 1
    : 1 + (isWordUnit(text.charCodeAt(0)) ? 0 : 1) + (isWordUnit(text.charCodeAt(text.length - 1)) ? 0 : 1)

/** Digits, and letters of ASCII and Cyrillic. */
const isWordUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x400 && unit <= 0x52f)

/** Tokens of a line of text with its end, in slices. Nothing merges between lines. */
export function* countingLine(line: string): Generator<void, number> {
  let tokens = 0
  let units = 0
  for (const [piece] of line.matchAll(splitOf(line))) {
    tokens += tokensOfPiece(piece)
    units += piece.length
    if (units > SLICE_UNITS) {
      units = 0
      yield
    }
  }
  return tokens
}

/** A part whose tokens are counted once. */
export const measuredPart = (
  about: About,
  bytes: number,
  count: () => Generator<void, number>
): MeasuredPart => {
  let tokens: number | undefined
  function* counting(): Generator<void, void> {
    tokens = yield* count()
  }
  return {
    ...about,
    bytes,
    tokens: () => (tokens ??= finished(count())),
    // A short part is counted when it is needed.
    counting: () => (tokens === undefined && bytes > SLICE_UNITS ? counting() : [])
  }
}

/** Runs a generator to its end without yielding. */
export const finished = <A>(counting: Generator<void, A>): A => {
  for (;;) {
    const { done, value } = counting.next()
    if (done === true) return value
  }
}

const count = (text: string): number => {
  let tokens = 0
  for (const piece of text.match(splitOf(text)) ?? []) tokens += tokensOfPiece(piece)
  return tokens
}

const upper = "A-Z\u0400-\u042fҐ"
const lower = "a-z\u0430-\u045fґ"
/** Lines of ASCII, of Ukrainian or Russian, or of a Markdown pack. */
const plain = /^[\n -~\u0400-\u045fҐґ«»—–’“”„…№【】]*$/u
/** The expression of o200k_base with only the letters and digits of a plain text, which takes a third of the time. */
const plainSplit = new RegExp(
  O200K_TOKEN_SPLIT_REGEX.source
    .replaceAll(String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`, upper)
    .replaceAll(String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`, lower)
    .replaceAll(String.raw`\p{L}`, upper + lower)
    .replaceAll(String.raw`\p{N}`, String.raw`\d`),
  "gu"
)

const splitOf = (text: string): RegExp => (plain.test(text) ? plainSplit : O200K_TOKEN_SPLIT_REGEX)

const encoder = new TextEncoder()

// Merging takes quadratic time, so a piece that is longer than any word counts its bytes, which no encoding exceeds.
const tokensOfPiece = (piece: string): number => {
  if (piece.length > TOKEN_PIECE_UNITS_MAX) return encoder.encode(piece).length
  const known = pieces.get(piece)
  if (known !== undefined) return known
  const tokens = countPiece(piece)
  pieces.set(unshared(piece), tokens)
  return tokens
}

/** A copy: a slice would keep the whole text that it was cut from alive. */
const unshared = (piece: string): string => ` ${piece}`.slice(1)

/** Texts are encoded here to be measured, so that none of them needs its own memory. */
const scratch = new Uint8Array(24 * 1_024)
/** UTF-8 bytes of a text. */
export const utf8Bytes = (text: string): number =>
  text.length * UNIT_BYTES_MAX <= scratch.length
    ? encoder.encodeInto(text, scratch).written
    : encoder.encode(text).length

/** UTF-8 bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => utf8Bytes(JSON.stringify(value))

/** Bytes of a UTF-16 unit at most. */
export const UNIT_BYTES_MAX = 3

/** Enough that a search for missing bytes is short. A power of two. */
const SLOTS = 2 ** 19

/** A token as the package stores it. Some numbers have none. */
type Token = string | ReadonlyArray<number> | undefined

/**
 * The vocabulary of o200k_base as one table outside the heap: 200,000 strings in a map would take a tenth of the idle memory and slow
 * the start. It contains the slots, the start of each token, the end of the last, and the bytes of all tokens.
 */
const makeTokenTable = (vocabulary: ReadonlyArray<Token>): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder()
  // A unit of a text takes three bytes at most.
  const bytes = new Uint8Array(
    vocabulary.reduce((sum, token) => sum + UNIT_BYTES_MAX * (token?.length ?? 0), 0)
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

/** The number of a token; `NO_RANK` for other bytes. */
type RankOf = (bytes: Uint8Array, start: number, end: number) => number

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
    for (let taken = slots[slot] ?? 0; taken !== 0; taken = slots[slot] ?? 0) {
      if (isToken(taken - 1, bytes, start, end)) return taken - 1
      slot = (slot + 1) & (SLOTS - 1)
    }
    return NO_RANK
  }
}

/** The table of this process. A bundle has it as a file. */
export const tokenTable = vocabulary instanceof Uint8Array ? vocabulary : makeTokenTable(vocabulary)
// Pieces are cut by the expression of o200k_base, and in each the pairs of bytes merge that its vocabulary has.
const rankOf = readTokenTable(tokenTable)

const pieceBytes = new Uint8Array(TOKEN_PIECE_UNITS_MAX * UNIT_BYTES_MAX)
/** The start of each part of a piece, and the rank of the part and the next one together. */
const starts = new Uint16Array(pieceBytes.length + 2)
const ranks = new Int32Array(pieceBytes.length + 1)

/** Tokens of one piece. Names of special tokens count as text. */
const countPiece = (piece: string): number => {
  const length = encoder.encodeInto(piece, pieceBytes).written
  if (rankOf(pieceBytes, 0, length) !== NO_RANK) return 1
  let parts = length
  for (let i = 0; i <= length; i++) starts[i] = i
  const pair = (at: number): number =>
    at + 2 > parts ? NO_RANK : rankOf(pieceBytes, starts[at] ?? 0, starts[at + 2] ?? 0)
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
