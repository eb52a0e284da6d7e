// Cuts a text into words, so that a phone, number, code or compound is the same word however it is written (contract §3.1).
import { isContentWord } from "./StopWords.ts"

/** Longer words, in UTF-16 units, are indexed by their beginning. */
export const STEM_UNITS_MAX = 64
/** Letters in a row that one word has at most. Bounded, so that no text exhausts the stack of the matcher. */
const WORD_LETTERS_MAX = 256

// Soft hyphen, zero-width space and joiners, word joiner, byte order mark.
const INVISIBLE = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"
// An apostrophe between letters belongs to the word. Between Cyrillic letters people also type " and * for one.
const APOSTROPHE = `(?:['’‘\`´′‛＇]|(?<=\\p{Script=Cyrillic})["*](?=\\p{Script=Cyrillic}))[${INVISIBLE}]{0,${STEM_UNITS_MAX}}`
const INSIDE = `(?:[${INVISIBLE}]{1,${STEM_UNITS_MAX}}(?:${APOSTROPHE})?|${APOSTROPHE})`
const LETTER = "[\\p{L}\\p{N}\\p{M}]"
const LETTERS = `${LETTER}{1,${WORD_LETTERS_MAX}}`
const ROW = `(?<!${LETTER})${LETTERS}(?:${INSIDE}${LETTERS}){0,${STEM_UNITS_MAX}}`
/** A row of letters and digits: it never begins in the middle of one. */
export const WORD = new RegExp(ROW, "gu")

const SPACE = "[ \\u00a0\\u2009\\u202f]"
const HYPHEN = "[-\\u2010\\u2011]"
// A number does not begin inside another one, a date, a time or a path.
const START = "(?<![\\p{L}\\p{N}\\p{M}]|\\d[-.,/:])"
const END = "(?![\\p{L}\\p{N}\\p{M}]|[-,/]\\d)"
const GAP = `[ \\u00a0()\\u2010\\u2011\\u2013-]{0,3}`
const PHONE = [
  `(?:\\+?38${GAP})?0(?:${GAP}\\d){9,10}`,
  `(?:\\+?7|8)${GAP}[3-9](?:${GAP}\\d){9}`,
  `(?:\\+|00)(?:${GAP}\\d){10,14}`,
  `\\(?\\d{3}\\)?[ -]\\d{3}[ -]\\d{2}[ -]?\\d{2}`
]
  .map((form) => `${START}${form}${END}`)
  .join("|")
/** Digits that distinguish a phone: those after country code and trunk prefix. */
const PHONE_DIGITS = 9
// 2 500, 2,500, 1.000.000, with a unit that may follow without a space; then cards and waybills in fours.
const GROUPED = `${START}[1-9]\\d{0,2}(?:(?:${SPACE}\\d{3})+|(?:,\\d{3})+(?!,\\d)|(?:\\.\\d{3})+(?!\\.\\d)|(?:['’]\\d{3})+)(?!\\d)`
const IN_FOURS = `${START}\\d{4}(?:[ -]\\d{4}){2,4}(?:[ -]\\d{1,3})?(?!\\d)`
const NUMBER = `(?:${IN_FOURS}|${GROUPED})(?:\\p{L}{1,3})?(?!${LETTER})`
const EMOJI = "\\p{RI}\\p{RI}|(?![©®™])\\p{Extended_Pictographic}"
/** Phones, grouped numbers and emoji by their group, else rows joined by hyphens. */
const UNIT = new RegExp(`(${PHONE})|(${NUMBER})|(${EMOJI})|${ROW}(?:${HYPHEN}${ROW}){0,15}`, "gu")

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter("en", { granularity: "word" })
/** No digit, hyphen or script without spaces: one word. */
const PLAIN = /^[\p{Script=Latin}\p{Script=Cyrillic}'’ʼ]+$/u

/** Letters of a code or a unit at most: RX5521, 3шт. Longer ones are words of their own: замовлення10245. */
const CODE_LETTERS_MAX = 3
/** A number with this many digits means something without its unit. */
const UNITLESS_DIGITS_MIN = 3
/** Letters of each half of a compound that is also written as one word: e-mail, он-лайн. */
const HALF_LETTERS_MAX = 5
/** Letters of halves that mean nothing apart: Wi-Fi. */
const LOST_HALF_LETTERS_MAX = 2

const LONG_WITH_DIGITS = new RegExp(
  `^(?:(\\p{L}{${CODE_LETTERS_MAX + 1},})(\\p{N}+)|(\\p{N}+)(\\p{L}{${CODE_LETTERS_MAX + 1},}))$`,
  "u"
)
const UNIT_AFTER = new RegExp(`${SPACE}(\\p{L}{1,${CODE_LETTERS_MAX}})(?!${LETTER})`, "uy")
const NUMBER_AFTER = new RegExp(`${SPACE}(\\d{${UNITLESS_DIGITS_MIN},})(?!${LETTER})`, "uy")

/**
 * A word at its half-open range of UTF-16 units; ranges may nest, the longer first. `inQuery` false: only a text has it, so that its
 * part is found too, while a query means the whole.
 */
export type EachWord = (word: string, from: number, to: number, inQuery: boolean) => void

export const cutWords = (text: string, each: EachWord): void => {
  for (const match of text.matchAll(UNIT)) {
    const [whole, phone, number, emoji] = match
    const from = match.index
    const to = from + whole.length
    if (phone !== undefined) each(whole.replace(/\D/gu, "").slice(-PHONE_DIGITS), from, to, true)
    else if (number !== undefined) cutNumber(text, whole, from, each)
    else if (emoji !== undefined) each(nameOfEmoji(emoji), from, to, true)
    else if (PLAIN.test(whole)) cutPlain(text, whole, from, each)
    else cutChain(text, whole, from, each)
  }
}

/** In letters and digits, as an index keeps words. */
const nameOfEmoji = (emoji: string): string =>
  Array.from(emoji, (point) => `u${(point.codePointAt(0) ?? 0).toString(16)}`).join("")

const cutPlain = (text: string, word: string, from: number, each: EachWord): void => {
  const to = from + word.length
  each(word, from, to, true)
  if (word.length > CODE_LETTERS_MAX || !/^\p{Lu}+$/u.test(word)) return
  const number = after(NUMBER_AFTER, text, to)
  if (number !== undefined) each(word + number, from, to + 1 + number.length, false)
}

const cutNumber = (text: string, whole: string, from: number, each: EachWord): void => {
  const unit = /\p{L}+$/u.exec(whole)?.[0] ?? ""
  const end = from + whole.length - unit.length
  const digits = whole.replace(/\D/gu, "")
  each(digits, from, end, true)
  for (const part of whole.matchAll(/\d+/gu))
    each(part[0], from + part.index, from + part.index + part[0].length, false)
  if (unit !== "") each(digits + unit, from, end + unit.length, false)
  withUnit(text, digits, from, end, each)
}

/** "3 шт" in a text is also 3шт. */
const withUnit = (text: string, digits: string, from: number, to: number, each: EachWord): void => {
  const unit = after(UNIT_AFTER, text, to)
  if (unit !== undefined && isContentWord(unit.toLowerCase()))
    each(digits + unit, from, to + 1 + unit.length, false)
}

const after = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[1]
}

const cutChain = (text: string, whole: string, from: number, each: EachWord): void => {
  const rows = Array.from(whole.matchAll(WORD), (row) => ({ row: row[0], at: from + row.index }))
  const [first, second] = rows
  if (rows.length === 1 || second === undefined) {
    for (const { at, row } of rows) cutRow(text, row, at, each)
    return
  }
  const joined = rows.map(({ row }) => row).join("")
  const to = from + whole.length
  const isCompoundWord = isCompound(rows.map(({ row }) => row))
  const isWhole = isCompoundWord
    ? rows.every(({ row }) => row.length <= LOST_HALF_LETTERS_MAX)
    : isCode(joined) && !isOrdinal(first?.row ?? "", second.row) && !rows.every(({ row }) => isCode(row))
  if (isWhole || isCompoundWord) each(joined, from, to, true)
  for (const { at, row } of rows) {
    if (isWhole) each(row, at, at + row.length, false)
    else cutRow(text, row, at, each)
  }
}

/** Digits with few letters: they mean nothing apart. */
const isCode = (row: string): boolean =>
  /\p{N}/u.test(row) &&
  /\p{L}/u.test(row) &&
  (row.match(/\p{L}+/gu) ?? []).every((letters) => letters.length <= CODE_LETTERS_MAX)

/** 5-го, 3-й: the ending is no part of the number. */
const isOrdinal = (digits: string, ending: string): boolean =>
  /^\d+$/u.test(digits) && /^\p{Script=Cyrillic}{1,3}$/u.test(ending)

const isCompound = (rows: ReadonlyArray<string>): boolean =>
  rows.length === 2 &&
  rows.every((row) => row.length <= HALF_LETTERS_MAX && PLAIN.test(row)) &&
  rows.some((row) => isContentWord(row.toLowerCase()))

const cutRow = (text: string, row: string, from: number, each: EachWord): void => {
  const to = from + row.length
  if (UNSPACED.test(row)) {
    for (const { index, isWordLike, segment } of segmenter.segment(row))
      if (isWordLike === true) each(segment, from + index, from + index + segment.length, true)
    return
  }
  if (/^\p{N}+$/u.test(row)) {
    each(row, from, to, true)
    withUnit(text, row, from, to, each)
    return
  }
  const long = LONG_WITH_DIGITS.exec(row)
  if (long !== null) {
    const [, word, number, digits = number, letters = word] = long
    const [head = "", tail = ""] = word === undefined ? [digits, letters] : [letters, digits]
    each(head, from, from + head.length, true)
    each(tail, from + head.length, to, true)
    return
  }
  each(row, from, to, true)
  if (isCode(row)) cutCode(row, from, each)
}

/** The halves of RX5521 or 3шт. */
const cutCode = (row: string, from: number, each: EachWord): void => {
  const halves = row.match(/\p{L}+|\p{N}+/gu) ?? []
  const [head = "", tail = ""] = halves
  if (halves.length !== 2) return
  each(head, from, from + head.length, /^\p{N}/u.test(head) && head.length >= UNITLESS_DIGITS_MIN)
  each(tail, from + head.length, from + row.length, false)
}
