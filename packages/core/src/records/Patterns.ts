// Patterns of fields, matched in time linear in the text (docs/contract.md §9.2). What one compiles to is bounded, since a
// step is taken for each part of it and each character.
import { RECORD_PATTERN_STEPS_MAX } from "@rapport/contract/Limits.ts"
import { RE2JS } from "re2js"

/** Compiled patterns that a process remembers. */
const KEPT_MAX = 500
const kept = new Map<string, RE2JS>()

const compiled = (pattern: string): RE2JS => {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const made = RE2JS.compile(pattern)
  const oldest = kept.keys().next()
  if (kept.size >= KEPT_MAX && oldest.done !== true) kept.delete(oldest.value)
  kept.set(pattern, made)
  return made
}

/** What is wrong with a pattern, or undefined. */
export const patternFault = (pattern: string): string | undefined => {
  try {
    return RE2JS.compile(pattern).programSize() > RECORD_PATTERN_STEPS_MAX
      ? "is too large: repeat less of it"
      : undefined
  } catch {
    return "must be a regular expression of RE2: no look-around, no back-references"
  }
}

/** Whether the pattern is found in the text. */
export const isMatched = (pattern: string, text: string): boolean => compiled(pattern).matcher(text).find()
