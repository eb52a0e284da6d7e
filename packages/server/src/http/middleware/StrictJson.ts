// Judges the bytes of a JSON body before anything decodes them: what two readers could read differently is refused.
import { isAscii, isUtf8 } from "node:buffer"

/** The judged text, its escaped names written plainly; or what is wrong, said of the whole body. */
export type StrictJson = { readonly text: string } | { readonly fault: string }

/**
 * docs/contract.md §1 "Strictness": a UTF-8 JSON object without byte order mark, no name twice in one object at any depth,
 * no NUL or lone surrogate in a text, no number that a double cannot hold, nested at most `depthMax` deep (the body is 1).
 *
 * Names are rewritten without escapes because V8 misreads escaped names once an object with the name `\` was parsed
 * anywhere in the process (nodejs/node#63785); names that cannot be written plainly are refused.
 */
export const strictJson = (bytes: Uint8Array, depthMax: number): StrictJson => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { fault: "must not begin with a byte order mark" }
  }
  if (!isUtf8(bytes)) return { fault: "must be UTF-8" }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    isAscii(bytes) ? "latin1" : "utf8"
  )
  return strictText(text, depthMax)
}

/** The same of a text that was decoded already, such as the answer of another service. */
export const strictText = (text: string, depthMax: number): StrictJson => {
  const value = parse(text)
  if (value === undefined) return { fault: "must be valid JSON" }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { fault: "must be a JSON object" }
  const escapedNames: Array<number> = []
  const colons = scan(text, depthMax, escapedNames)
  if (typeof colons === "string") return { fault: colons }
  const plain = escapedNames.length === 0 ? text : withPlainNames(text, escapedNames)
  if (plain === undefined) {
    return { fault: "must not hold a name with a quotation mark, backslash or control character" }
  }
  const members = countMembers(plain === text ? value : parse(plain), holdsEscapedUnit(text))
  if (members < 0) return { fault: "must not hold NUL or a lone surrogate" }
  return members === colons ? { text: plain } : { fault: "must not hold the same name twice in one object" }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Regular expressions, not `includes`: V8 takes that for free of effects and moves it to where its result is used, which
// is inside a loop over the same text: a body of 256 KiB then takes seconds.
const holdsBackslash = (text: string): boolean => /\\/u.test(text)
const holdsEscapedUnit = (text: string): boolean => /\\u/u.test(text)

/** Counts the colons outside strings, which are the names of all objects; or tells what is wrong. */
const scan = (text: string, depthMax: number, escapedNames: Array<number>): number | string => {
  const escapes = holdsBackslash(text)
  let colons = 0
  let depth = 0
  let open = 0
  let close = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 34) {
      open = i
      i = endOfString(text, i)
      close = i + 1
    } else if (c === 58) {
      colons++
      if (escapes && text.slice(open, close).includes("\\")) escapedNames.push(open, close)
    } else if (c === 123 || c === 91) {
      if (++depth > depthMax) return `must not be nested deeper than ${depthMax}`
    } else if (c === 125 || c === 93) depth--
    else if (c === 45 || (c >= 48 && c <= 57)) {
      const start = i
      while (isNumberChar(text.charCodeAt(i + 1))) i++
      if (!fitsDouble(text.slice(start, i + 1))) return "must not hold a number that a double cannot hold"
    }
  }
  return colons
}

/**
 * Where the string that begins at `i` ends. Letter by letter: a search for the quotation mark is a call without side effects,
 * which the optimizing compiler may move before the question whether it is wanted, and then it runs for every letter of the body.
 */
const endOfString = (text: string, begin: number): number => {
  let i = begin + 1
  for (let c = text.charCodeAt(i); c !== 34 && i < text.length; c = text.charCodeAt(i)) i += c === 92 ? 2 : 1
  return i
}

/** Digits, point, e, E, plus and minus. */
const isNumberChar = (c: number): boolean =>
  (c >= 48 && c <= 57) || c === 46 || c === 101 || c === 69 || c === 43 || c === 45

const fitsDouble = (literal: string): boolean => {
  if (literal.length < 16 && !literal.includes("e") && !literal.includes("E")) return true
  const n = Number(literal)
  if (/^-?\d+$/u.test(literal)) return Number.isSafeInteger(n)
  return Number.isFinite(n) && (n !== 0 || !/[1-9]/u.test(literal.split(/e/iu)[0] ?? ""))
}

/** Undefined where a name holds what cannot be written without an escape. */
const withPlainNames = (text: string, escapedNames: ReadonlyArray<number>): string | undefined => {
  let plain = ""
  let from = 0
  for (let i = 0; i + 1 < escapedNames.length; i += 2) {
    const [start, end] = [escapedNames[i] ?? 0, escapedNames[i + 1] ?? 0]
    const name = String(JSON.parse(text.slice(start, end)))
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/["\\\u0000-\u001f]/u.test(name)) return undefined
    plain += text.slice(from, start) + JSON.stringify(name)
    from = end
  }
  return plain + text.slice(from)
}

const isWell = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

/** The names of all objects; −1 at a text with NUL or a lone surrogate, which can only stand there escaped. */
const countMembers = (value: unknown, judgeTexts: boolean): number => {
  let members = 0
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === "string") {
      if (judgeTexts && !isWell(next)) return -1
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item)
    } else if (typeof next === "object" && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        members++
        if (judgeTexts && !isWell(name)) return -1
        open.push(member)
      }
    }
  }
  return members
}
