import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { TELEGRAM_TEXT_UNITS_MAX, telegramPart } from "./TelegramParts.ts"

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let gone = 0, isLast = false; !isLast;) {
    const part = telegramPart(text, gone)
    if (text !== "") assert.isAbove(part.endsAt, gone)
    parts.push(part.text)
    gone = part.endsAt
    isLast = part.isLast
  }
  return parts
}
const max = TELEGRAM_TEXT_UNITS_MAX

it("a Telegram text that fits is sent unchanged", () => {
  for (const text of ["", " ", "Привіт\n\n", "ї".repeat(max), "🎁".repeat(max / 2)])
    assert.deepStrictEqual(partsOf(text), [text])
})

it("a Telegram text is cut between lines, else between sentences, else between words", () => {
  const line = `${"а".repeat(2_500)}.`
  assert.deepStrictEqual(partsOf(`${line} ще\n${line}`), [`${line} ще`, line])
  assert.deepStrictEqual(partsOf(`${line} ${line}`), [line, line])
  assert.deepStrictEqual(partsOf(`${"б".repeat(2_500)} ${"в".repeat(2_500)}`), [
    "б".repeat(2_500),
    "в".repeat(2_500)
  ])
  // An empty line is preferred to a later line break.
  assert.deepStrictEqual(partsOf(`${line}\n\n${"г".repeat(1_000)}\n${line}`)[0], line)
})

it("a Telegram text is measured in UTF-16 code units and never cut inside a character", () => {
  assert.deepStrictEqual(partsOf(`x${"🎁".repeat(2_048)}`), [`x${"🎁".repeat(2_047)}`, "🎁"])
  const family = "👨‍👩‍👧‍👦"
  for (const part of partsOf(family.repeat(1_000))) assert.strictEqual(part.length % family.length, 0)
  // A character longer than a part is cut between its code points.
  assert.deepStrictEqual(
    partsOf(`e${"\u0301".repeat(5_000)}`).map((part) => part.length),
    [max, 905]
  )
})

it("a Telegram text has no blank part", () => {
  assert.deepStrictEqual(partsOf(`${" ".repeat(9_000)}слово${"\n".repeat(9_000)}`), ["слово"])
})

it("a Telegram text loses only white space at its cuts", () => {
  const word = fc.constantFrom("слово", "їжак 🎁", "\n", "\n\n", ". ", "🇺🇦", "e\u0301", "x".repeat(700), " ")
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
      const some = words.join("")
      const text = `${some.repeat(Math.ceil((2.5 * max) / some.length))}кінець`
      const parts = partsOf(text)
      for (const part of parts) {
        assert.isAtMost(part.length, max)
        assert.notStrictEqual(part.trim(), "")
        assert.isTrue(part.isWellFormed())
      }
      assert.strictEqual(parts.join("").replaceAll(/\s/gu, ""), text.replaceAll(/\s/gu, ""))
    }),
    { numRuns: 100 }
  )
})
