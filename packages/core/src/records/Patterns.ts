// Patterns of fields, matched in time linear in the text (contract §9.2).
import { RECORD_PATTERN_STEPS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { RE2JS } from "re2js"

/** Faults in the order of the patterns. Yields after each, because a large pattern takes long to compile. */
export const patternFaults = Effect.fnUntraced(function* (patterns: ReadonlyArray<string | undefined>) {
  const faults: Array<string | undefined> = []
  for (const pattern of patterns) {
    faults.push(pattern === undefined ? undefined : patternFault(pattern))
    if (pattern !== undefined) yield* Effect.yieldNow
  }
  return faults
})

const TOO_LARGE = "is too large: repeat less of it"

const patternFault = (pattern: string): string | undefined => {
  if (repeatedSteps(pattern) > RECORD_PATTERN_STEPS_MAX) return TOO_LARGE
  try {
    return RE2JS.compile(pattern).programSize() > RECORD_PATTERN_STEPS_MAX ? TOO_LARGE : undefined
  } catch {
    return "must be a regular expression of RE2: no look-around, no back-references"
  }
}

// Linear time: each part of a class matches in only one way.
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[xpP]\{[^}]*\}|\\[pP].|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?:\?[^:>)]*[:>)])?|\{(\d+)(?:(,)(\d*))?\}|./gsu

const REPETITIONS: ReadonlySet<string> = new Set(["*", "+", "?"])
/** Quoted texts, whose letters cannot be repeated. */
const EMPTY = /^\\[EQ].*$/su
/** Capturing groups, which take a step at each end. */
const CAPTURING = /^\((?!\?)|^\(\?P?</u

/**
 * A lower bound of the steps of the compiled pattern. A thousand repetitions take megabytes and tens of milliseconds to
 * compile, so they are counted before.
 */
const repeatedSteps = (pattern: string): number => {
  const outer: Array<{ readonly longest: number; readonly sum: number; readonly ends: number }> = []
  let [longest, sum, last] = [0, 0, 0]
  for (const [token, least, , most] of pattern.matchAll(TOKEN)) {
    if (token.startsWith("(")) {
      outer.push({ longest, sum, ends: CAPTURING.test(token) ? 2 : 0 })
      ;[longest, sum, last] = [0, 0, 0]
    } else if (token === ")") {
      const before = outer.pop() ?? { longest: 0, sum: 0, ends: 0 }
      last = Math.max(longest, sum) + before.ends
      ;[longest, sum] = [before.longest, before.sum + last]
    } else if (token === "|") [longest, sum, last] = [Math.max(longest, sum), 0, 0]
    else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0))
      sum += last * (times - 1)
      last *= times
    } else if (EMPTY.test(token)) last = 0
    else if (!REPETITIONS.has(token)) {
      last = 1
      sum += 1
    }
  }
  return Math.max(longest, sum)
}

export type PatternMatcher = (pattern: string, text: string) => Effect.Effect<boolean>

/** Characters between two yields: some milliseconds for any pattern. */
const YIELD_POINTS = 5_000

/** A matcher for one request. Only the last pattern stays compiled, because each may need some megabytes. */
export const makePatternMatcher = (): PatternMatcher => {
  let last: { readonly pattern: string; readonly compiled: RE2JS } | undefined
  let left = YIELD_POINTS
  return Effect.fnUntraced(function* (pattern, text) {
    if (last?.pattern !== pattern) {
      last = { pattern, compiled: RE2JS.compile(pattern) }
      left = 0
    }
    const isFound = last.compiled.test(text)
    left -= text.length
    if (left <= 0) {
      left = YIELD_POINTS
      yield* Effect.yieldNow
    }
    return isFound
  })
}
