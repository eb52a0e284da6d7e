// Templates of messages (contract §8). Inserted values are never parsed, and every step takes linear time.
import type { Violation } from "@rapport/contract/Errors.ts"
import { APPEAL_TEXT_POINTS_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { Result } from "effect"

/** A text or a variable; `fallback` replaces a missing value. */
type TemplatePart = string | { readonly name: string; readonly fallback: string | undefined }
export type Template = ReadonlyArray<TemplatePart>

const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u
const OPEN = "{{"
const CLOSE = "}}"
/** Writes OPEN as text. */
const ESCAPED_OPEN = OPEN + OPEN

/** The template, or the fault of the text. */
export const readTemplate = (text: string): Result.Result<Template, string> => {
  const parts: Array<TemplatePart> = []
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
      return Result.fail(`has a ${OPEN} without ${CLOSE} at character ${pointsOf(text.slice(0, open)) + 1}`)
    const variable = variableIn(text.slice(open + OPEN.length, close))
    if (variable === undefined)
      return Result.fail(
        `has no name between ${OPEN} and ${CLOSE} at character ${pointsOf(text.slice(0, open)) + 1}: a name has letters, digits and _ and does not begin with a digit`
      )
    parts.push(variable)
    at = close + CLOSE.length
  }
  return Result.succeed(at < text.length ? [...parts, text.slice(at)] : parts)
}

/** A stored template, which was read when it was written. */
export const storedTemplate = (text: string): Template => Result.getOrThrow(readTemplate(text))

/** The violation of a text that is no template. */
export const templateViolation = (path: string, text: string): ReadonlyArray<Violation> =>
  Result.match(readTemplate(text), { onFailure: (message) => [{ path, message }], onSuccess: () => [] })

const variableIn = (inside: string): Exclude<TemplatePart, string> | undefined => {
  const bar = inside.indexOf("|")
  const name = trimSpaces(bar === -1 ? inside : inside.slice(0, bar))
  const fallback = bar === -1 ? undefined : trimSpaces(inside.slice(bar + 1))
  return NAME.test(name) && fallback?.includes(OPEN) !== true ? { name, fallback } : undefined
}

/** Trims only U+0020. */
const trimSpaces = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && text[from] === " ") from++
  while (to > from && text[to - 1] === " ") to--
  return text.slice(from, to)
}

/** `missing` and `unprintable` have each name once, in the order of the template. */
export type FilledTemplate =
  | { readonly _tag: "Text"; readonly text: string }
  | {
      readonly _tag: "Missing"
      readonly missing: ReadonlyArray<string>
      readonly unprintable: ReadonlyArray<string>
    }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Long" }

/** Why a template makes no text. `path` is that of the template, `variables` that of its variables. */
export const templateViolations = (
  filled: FilledTemplate,
  path: string,
  variables: string
): ReadonlyArray<Violation> => {
  switch (filled._tag) {
    case "Text":
      return []
    case "Empty":
      return [{ path, message: "leaves nothing to send" }]
    case "Long":
      return [{ path, message: `makes a text of more than ${APPEAL_TEXT_POINTS_MAX} characters` }]
    case "Missing": {
      const all = (names: ReadonlyArray<string>, message: string) =>
        names.map((name) => ({ path: `${variables}.${name}`, message }))
      return [
        ...all(filled.missing, "is required by the template"),
        ...all(filled.unprintable, "must be a text, a number, true, false or null")
      ].slice(0, VIOLATIONS_MAX)
    }
  }
}

/** `variableOf` returns undefined for a missing value. */
export const fillTemplate = (template: Template, variableOf: (name: string) => unknown): FilledTemplate => {
  const missing = new Set<string>()
  const unprintable = new Set<string>()
  const pieces: Array<string> = []
  let units = 0
  for (const part of template) {
    const piece = typeof part === "string" ? part : pieceOf(part, variableOf, missing, unprintable)
    // A code point has at most two units, so a longer text is over the limit and need not be built.
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
  { fallback, name }: Exclude<TemplatePart, string>,
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
  return JSON.stringify(value)
}
