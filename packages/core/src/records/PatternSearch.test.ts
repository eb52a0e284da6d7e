// The search of patterns finds what RE2JS finds, in pieces of any size (docs/contract.md §9.2).
import { assert, describe, it } from "@effect/vitest"
import { RECORD_PATTERN_STEPS_MAX } from "@rapport/contract/Limits.ts"
import * as fc from "fast-check"
import { RE2JS } from "re2js"
import { compilePattern, PatternSearch } from "./PatternSearch.ts"

const atom = fc.constantFrom(
  ..."abKk1 _я\n.".split(""),
  ..."\\d|\\D|\\w|\\W|\\s|\\pL|\\p{Greek}|\\x{41}|[a-c]|[^a]|[^\\pN]|[[:word:]]|[ſ-ж]|😀|[😀-😎]|\\Q.\\E|\\C".split(
    "|"
  ),
  ..."^|$|\\A|\\z|\\b|\\B|(?m:^)|(?m:$)|(?s:.)|(?i:k)|(?i:ς)|(?i:[kσ])|(?i:straße)|()|(?:)".split("|")
)
const times = fc.constantFrom(
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "??",
  "{3}",
  "{0}",
  "{0,2}",
  "{2,}",
  "{7}?"
)
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(atom, times).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("|")),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?s:", "(?m:", "(?U:", "(?P<n>"), tie("pattern"), times)
      .map(([open, inside, repeated]) => `${open}${inside})${repeated}`)
  )
}))
const text = fc
  .array(fc.constantFrom(..."aabbcKkK1 _яσςΣſß.\n\r", "😀", "😎", "漢", "\u2028"), { maxLength: 24 })
  .map((parts) => parts.join(""))

const found = (pattern: string, text: string, piece: number): boolean => {
  const search = new PatternSearch(compilePattern(pattern), text)
  for (;;) {
    const answer = search.advance(search.taken + piece)
    if (answer !== undefined) return answer
  }
}

const compiled = (pattern: string): RE2JS | undefined => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

describe("the search of a pattern", () => {
  it("finds what RE2JS finds", () => {
    let [yes, no] = [0, 0]
    fc.assert(
      fc.property(
        pattern,
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(1, 10, Infinity),
        (pattern, texts, piece) => {
          const expected = compiled(pattern)
          if (expected === undefined || expected.programSize() > RECORD_PATTERN_STEPS_MAX) return
          for (const text of texts) {
            const isFound = expected.matcher(text).find()
            if (isFound) yes++
            else no++
            assert.strictEqual(found(pattern, text, piece), isFound, JSON.stringify([pattern, text]))
          }
        }
      ),
      { numRuns: 5_000 }
    )
    assert.isAbove(yes, 1_000)
    assert.isAbove(no, 1_000)
  })

  it("takes each step once at most for each character", () => {
    for (const pattern of ["(?:[ab]?){140}[0-9]", "(?:(?:a*)*)*c", "(a|b)*a(?:a|b){100}c", "(?:a|b|ab)*c"]) {
      const compiled = compilePattern(pattern)
      const search = new PatternSearch(compiled, "ab".repeat(500))
      assert.isFalse(search.advance(Infinity))
      assert.isAtMost(search.taken, 1_001 * compiled.steps.length)
    }
  })

  it("pauses within one text", () => {
    const search = new PatternSearch(compilePattern("(?:[ab]?){140}[0-9]"), "ab".repeat(5_000))
    let pauses = 0
    while (search.advance(search.taken + 10_000) === undefined) pauses++
    assert.isAbove(pauses, 100)
    assert.isAtMost(search.taken, pauses * 10_300 + 10_300)
  })
})
