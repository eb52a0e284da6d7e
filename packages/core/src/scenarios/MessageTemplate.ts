// Templates of messages: read once when written, filled at a call (contract §8). Values are inserted as they are, once,
// and never read as template; reading and filling take time linear in the texts.
import { APPEAL_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"

/** A stretch of text, or the place of a variable; `fallback` is the text when it is missing. */
type Part = string | { readonly name: string; readonly fallback: string | undefined }
export type Template = ReadonlyArray<Part>

interface Unreadable {
  readonly fault: string
}

const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u
const OPEN = "{{"
const CLOSE = "}}"
/** Writes OPEN as text. */
const ESCAPED_OPEN = OPEN + OPEN

/** What is wrong with it, or its parts. */
export const readTemplate = (text: string): Template | Unreadable => {
  const parts: Array<Part> = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf(OPEN, at)
    if (open === -1) break
    if (open > at) parts.push(text.slice(at, open))
    if (text.startsWith(ESCAPED_OPEN, open)) {
      parts.push(OPEN)
      at = open + ESCAPED_OPEN.length
      continue
    }
    const close = text.indexOf(CLOSE, open + OPEN.length)
    if (close === -1)
      return { fault: `has a ${OPEN} without ${CLOSE} at character ${pointsOf(text.slice(0, open)) + 1}` }
    const variable = variableIn(text.slice(open + OPEN.length, close))
    if (variable === undefined)
      return {
        fault: `holds no name between ${OPEN} and ${CLOSE} at character ${pointsOf(text.slice(0, open)) + 1}: a name has letters, digits and _ and does not begin with a digit`
      }
    parts.push(variable)
    at = close + CLOSE.length
  }
  return at < text.length ? [...parts, text.slice(at)] : parts
}

export const isUnreadable = (read: Template | Unreadable): read is Unreadable => "fault" in read

const variableIn = (inside: string): Exclude<Part, string> | undefined => {
  const bar = inside.indexOf("|")
  const name = trimmed(bar === -1 ? inside : inside.slice(0, bar))
  const fallback = bar === -1 ? undefined : trimmed(inside.slice(bar + 1))
  return NAME.test(name) && fallback?.includes(OPEN) !== true ? { name, fallback } : undefined
}

/** Without the spaces around it. */
const trimmed = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && text[from] === " ") from++
  while (to > from && text[to - 1] === " ") to--
  return text.slice(from, to)
}

/** A text, or the names that stand in its way; `missing` and `unprintable` hold each name once, in the order of the template. */
export type Filled =
  | { readonly _tag: "Text"; readonly text: string }
  | {
      readonly _tag: "Missing"
      readonly missing: ReadonlyArray<string>
      readonly unprintable: ReadonlyArray<string>
    }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Long" }

/** The text with its variables: `variableOf` gives a value, or undefined where there is none. */
export const fillTemplate = (template: Template, variableOf: (name: string) => unknown): Filled => {
  const missing = new Set<string>()
  const unprintable = new Set<string>()
  const pieces: Array<string> = []
  let units = 0
  for (const part of template) {
    const piece = typeof part === "string" ? part : pieceOf(part, variableOf, missing, unprintable)
    // A code point is at most two units: what is longer than that is too long, and is not put together.
    units += piece.length
    if (units <= 2 * APPEAL_TEXT_POINTS_MAX) pieces.push(piece)
  }
  if (missing.size + unprintable.size > 0)
    return { _tag: "Missing", missing: [...missing], unprintable: [...unprintable] }
  const text = pieces.join("")
  if (units > text.length || pointsOf(text) > APPEAL_TEXT_POINTS_MAX) return { _tag: "Long" }
  return text === "" ? { _tag: "Empty" } : { _tag: "Text", text }
}

const pieceOf = (
  { fallback, name }: Exclude<Part, string>,
  variableOf: (name: string) => unknown,
  missing: Set<string>,
  unprintable: Set<string>
): string => {
  const value = variableOf(name)
  if (typeof value === "string") return value
  if (value === undefined) {
    if (fallback === undefined) missing.add(name)
    return fallback ?? ""
  }
  if (typeof value === "object" && value !== null) {
    unprintable.add(name)
    return ""
  }
  // Scalars as JSON writes them.
  return JSON.stringify(value)
}
