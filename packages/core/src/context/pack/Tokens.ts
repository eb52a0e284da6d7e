// Estimates the tokens of JSON: never below the o200k_base count of the text, close above it, and equal for equal data. The
// estimate of a pack is the sum of its parts, so that trimming can measure what it drops.
import { BoundedMap } from "../../values/BoundedMap.ts"
import { WrittenJson } from "../../json/CanonicalJson.ts"
import { sentBackText } from "../../json/SentBackJson.ts"
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { vocabulary } from "./Vocabulary.ts"

/** Texts whose token count a process caches. */
const TOKEN_TEXTS_KEPT_MAX = 20_000
/** The longest of them, in UTF-16 units. */
const TOKEN_TEXT_UNITS_MAX = 2_048
/** Pieces of text whose token count a process caches. */
const TOKEN_PIECES_KEPT_MAX = 100_000
/** The longest of them, in UTF-16 units. */
const TOKEN_PIECE_UNITS_MAX = 64

/** The value of `budget.tokens.estimator` (contract §3.2, "budget"). */
export const ESTIMATOR = "o200k_base-upper-bound/1"

/** Tokens of the comma between two elements of an array. */
const COMMA_TOKENS = 1
/** Tokens of a number whose digits are not known yet: at most six. */
export const COUNT_TOKENS = 2

/** A value whose JSON is written and counted once. Other values may contain it. */
export class CountedJson extends WrittenJson {
  #bytes: number | undefined
  #tokens: number | undefined

  get bytes(): number {
    return (this.#bytes ??= utf8Bytes(sentBackText(this.text)))
  }

  get tokens(): number {
    return (this.#tokens ??= tokensOf(this.value))
  }
}

/**
 * Tokens of a value as JSON. Texts count exactly, with a margin for what may merge across their
 * ends; brackets, braces and the commas of arrays count one each, a name with its quotes, colon and comma once.
 */
export const tokensOf = (value: unknown): number => {
  if (typeof value === "string") return tokensOfText(value)
  if (typeof value === "number") return tokensOfNumber(value)
  if (typeof value !== "object" || value === null) return 1
  if (value instanceof CountedJson) return value.tokens
  let tokens = 2
  if (Array.isArray(value)) {
    for (const item of value) tokens += COMMA_TOKENS + tokensOf(item)
    return value.length === 0 ? tokens : tokens - COMMA_TOKENS
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) {
    const member = members[name]
    if (member !== undefined) tokens += tokensOfName(name) + tokensOf(member)
  }
  return tokens
}

/** The longest text for `tokensOfPlain`. */
const PLAIN_UNITS_MAX = 2 * TOKEN_PIECE_UNITS_MAX

/** Tokens of a line with its line break. No token spans two lines. */
export const tokensOfLine = (line: string): number => count(line)

const tokensOfNumber = (value: number): number => {
  const digits = String(value)
  return value >= 0 && digits.length <= 15 && Number.isInteger(value)
    ? Math.ceil(digits.length / 3)
    : digits.length
}

const texts = new BoundedMap<string, number>(TOKEN_TEXTS_KEPT_MAX)
const pieces = new BoundedMap<string, number>(TOKEN_PIECES_KEPT_MAX)
const names = new BoundedMap<string, number>(TOKEN_PIECES_KEPT_MAX)

/** Tokens of the name of a member, with its quotes, colon and comma. */
const tokensOfName = (name: string): number => {
  const known = names.get(name)
  if (known !== undefined) return known
  const tokens = count(`,${JSON.stringify(name)}:`)
  if (name.length <= TOKEN_PIECE_UNITS_MAX) names.set(name, tokens)
  return tokens
}

const tokensOfText = (text: string): number => {
  // Ids, hashes, times and words rarely repeat, but their pieces do.
  if (text.length <= PLAIN_UNITS_MAX) {
    const tokens = tokensOfPlain(text)
    if (tokens !== undefined) return tokens + margin(text)
  }
  const known = texts.get(text)
  if (known !== undefined) return known
  const tokens = count(JSON.stringify(text).slice(1, -1)) + margin(text)
  if (text.length <= TOKEN_TEXT_UNITS_MAX) texts.set(text, tokens)
  return tokens
}

/** The closing quote, and one more at each end where punctuation or white space may be drawn into the quotes' token. */
const margin = (text: string): number =>
  text === ""
    ? 1
    : 1 + (isWordUnit(text.charCodeAt(0)) ? 0 : 1) + (isWordUnit(text.charCodeAt(text.length - 1)) ? 0 : 1)

const DIGIT = 1
const LETTER = 2
const SIGN = 3
const SPACE = 4
/** The kind of each character that `tokensOfPlain` can cut: digits, Latin and Cyrillic letters, and signs that need no escape. */
const kinds = new Uint8Array(0x2200)
const addKind = (kind: number, characters: string): void => {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}
addKind(LETTER, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZґҐ")
kinds.fill(LETTER, 0x400, 0x460)
addKind(DIGIT, "0123456789")
addKind(SPACE, " ")
addKind(SIGN, "_.,:;/?=&%+-[]()'!#$*@<>^`{|}~«»—–’“”„…№")
const APOSTROPHE = 39

/** Anything else beyond ASCII takes the margin. */
const isWordUnit = (unit: number): boolean => {
  const kind = kinds[unit] ?? 0
  return kind === DIGIT || kind === LETTER || (unit >= 0x400 && unit <= 0x52f)
}

/** 0 for another character, and after the end of the text. */
const kindAt = (text: string, i: number): number => (i < text.length ? (kinds[text.charCodeAt(i)] ?? 0) : 0)
/** The end of the run of one kind that begins at `i`. */
const endOf = (text: string, kind: number, i: number): number => {
  let end = i
  while (kindAt(text, end) === kind) end++
  return end
}

/** An exact count without the regular expression of the tokenizer. Undefined for a text that it cannot cut. */
const tokensOfPlain = (text: string): number | undefined => {
  let tokens = 0
  let i = 0
  while (i < text.length) {
    const start = i
    const kind = kindAt(text, i)
    if (kind === 0) return undefined
    if (kind === DIGIT) {
      i = endOf(text, DIGIT, i)
      tokens += i - start <= 3 ? 1 : Math.ceil((i - start) / 3)
      continue
    }
    if (kind === SPACE) {
      i++
      // A space belongs to the letters or signs that follow it.
      const next = kindAt(text, i)
      if (next === SPACE) return undefined
      if (next === LETTER || next === SIGN) i = endOf(text, next, i)
    } else {
      i = endOf(text, kind, i)
      // A single sign belongs to the letters that follow it.
      if (kind === SIGN && i - start === 1) i = endOf(text, LETTER, i)
    }
    // After letters an apostrophe may begin an English ending, such as 's.
    if (
      text.charCodeAt(i) === APOSTROPHE &&
      kindAt(text, i - 1) === LETTER &&
      isAsciiLetter(text.charCodeAt(i + 1))
    )
      return undefined
    // A long piece may be several.
    if (i - start > TOKEN_PIECE_UNITS_MAX) return undefined
    const isAsciiUnit = i - start === 1 && text.charCodeAt(start) < 128
    tokens += isAsciiUnit ? 1 : tokensOfPiece(text.slice(start, i))
  }
  return tokens
}
const isAsciiLetter = (unit: number): boolean => (unit | 32) >= 97 && (unit | 32) <= 122

const count = (encoded: string): number => {
  let tokens = 0
  for (const [piece] of encoded.matchAll(O200K_TOKEN_SPLIT_REGEX)) tokens += tokensOfPiece(piece)
  return tokens
}

const encoder = new TextEncoder()

// Merging takes quadratic time, so a piece longer than any word counts as its bytes, an upper bound.
const tokensOfPiece = (piece: string): number => {
  if (piece.length > TOKEN_PIECE_UNITS_MAX) return encoder.encode(piece).length
  const known = pieces.get(piece)
  if (known !== undefined) return known
  const tokens = countBytePairs(piece)
  pieces.set(copyOf(piece), tokens)
  return tokens
}

/** A copy: a slice would keep the whole text that it was cut from alive. */
const copyOf = (piece: string): string => ` ${piece}`.slice(1)

/** Texts are encoded here to be measured, so that none of them needs its own memory. */
const scratch = new Uint8Array(24 * 1_024)
/** UTF-8 bytes of a text. */
export const utf8Bytes = (text: string): number =>
  text.length * UNIT_BYTES_MAX <= scratch.length
    ? encoder.encodeInto(text, scratch).written
    : encoder.encode(text).length

/** UTF-8 bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return utf8Bytes(JSON.stringify(value))
  if (value instanceof CountedJson) return value.bytes
  // The brackets or braces, and one comma less than there are elements.
  let bytes = 1
  if (Array.isArray(value)) for (const item of value) bytes += bytesOf(item) + 1
  else
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) bytes += bytesOf(name) + 1 + bytesOf(member) + 1
  return Math.max(2, bytes)
}

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
/** The start of each part of a piece, and the rank of its pair with the next part. */
const starts = new Uint16Array(pieceBytes.length + 2)
const ranks = new Int32Array(pieceBytes.length + 1)

/** Tokens of a text of at most TOKEN_PIECE_UNITS_MAX units. Names of special tokens count as plain text. */
const countBytePairs = (text: string): number => {
  let tokens = 0
  for (const [piece] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) tokens += countPiece(piece)
  return tokens
}

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

/** The first pair with the lowest rank. */
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
