// Patterns of fields, matched in time linear in the text (docs/contract.md §9.2). What one compiles to is bounded, since a
// step is taken for each part of it and each character.
import { RECORD_PATTERN_STEPS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { RE2JS } from "re2js"
import { compilePattern, type Pattern, PatternSearch } from "./PatternSearch.ts"

/** Memory that compiled patterns may take which a process remembers. */
export const KEPT_BYTES_MAX = 16 * 1024 * 1024

/** Patterns that were compiled, as many as fit: those that were compiled first go first. */
export class KeptPatterns {
  readonly #kept = new Map<string, Pattern>()
  #bytes = 0

  /** All that are kept take so much. */
  get bytes(): number {
    return this.#bytes
  }

  find(pattern: string): Pattern | undefined {
    return this.#kept.get(pattern)
  }

  compile(pattern: string): Pattern {
    const made = compilePattern(pattern)
    this.#drop(pattern)
    this.#kept.set(pattern, made)
    this.#bytes += made.bytes
    for (const first of this.#kept.keys()) {
      if (this.#bytes <= KEPT_BYTES_MAX) break
      this.#drop(first)
    }
    return made
  }

  #drop(pattern: string): void {
    this.#bytes -= this.#kept.get(pattern)?.bytes ?? 0
    this.#kept.delete(pattern)
  }
}

const kept = new KeptPatterns()

/** What is wrong with each pattern, or undefined. One that repeats much takes long to compile: others get their turn between them. */
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

// Linear: of what stands in a class each part can be read in one way.
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[xpP]\{[^}]*\}|\\[pP].|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?:\?[^:>)]*[:>)])?|\{(\d+)(?:(,)(\d*))?\}|./gsu

const REPETITIONS: ReadonlySet<string> = new Set(["*", "+", "?"])
/** Quoted texts, whose letters nothing repeats. */
const EMPTY = /^\\[EQ].*$/su
/** Groups that are remembered, which takes a step at each end. */
const CAPTURING = /^\((?!\?)|^\(\?P?</u

/**
 * Steps that a pattern compiles to at least. What repeats a thousand times takes tens of milliseconds and megabytes to
 * compile, so it is counted before: of alternatives the longest, of what may be empty nothing.
 */
export const repeatedSteps = (pattern: string): number => {
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

/** Whether the pattern is found in the text. */
export type Matching = (pattern: string, text: string) => Effect.Effect<boolean>

/** Steps that are taken between two turns of the event loop: a few milliseconds, whatever the pattern and the text. */
const STEPS_AT_ONCE = 65_536

/** The searches of one request, of which there may be thousands: others get their turn between them, and within a long one. */
export const matching = (): Matching => {
  let left = STEPS_AT_ONCE
  const turn = Effect.suspend(() => {
    left = STEPS_AT_ONCE
    return Effect.yieldNow
  })
  return Effect.fnUntraced(function* (pattern, text) {
    let known = kept.find(pattern)
    if (known === undefined) {
      known = kept.compile(pattern)
      // Which takes as long as some thousand steps, of a large one as tens of thousands.
      yield* turn
    }
    const search = new PatternSearch(known, text)
    for (;;) {
      const before = search.taken
      const isFound = search.advance(before + left)
      left -= search.taken - before
      if (isFound !== undefined) return isFound
      yield* turn
    }
  })
}
