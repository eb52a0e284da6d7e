// Texts in normal form C for the comparison of commands (contract §1.3).
import { assert, describe, it } from "@effect/vitest"
import { composedText } from "./NormalForm.ts"

const above = "\u0315"
const below = "\u0316"

describe("composedText", () => {
  it.each([
    "",
    "Привіт",
    "и\u0306",
    "e\u0301\u0323",
    "e\u0323\u0301",
    "\u1112\u1161\u11ab",
    "\u0301 з початку",
    "e\u0301".repeat(40),
    `a${above.repeat(15)}${below.repeat(15)}б`,
    "\u{1d15e}\u{1d165}"
  ])("returns the normal form C of %j", (text) => {
    assert.strictEqual(composedText(text), text.normalize("NFC"))
  })

  it("keeps all marks of a text with too many in a row, and composes the rest", () => {
    const text = `до e\u0301${above.repeat(40)}${below.repeat(50)}, після и\u0306`
    const composed = composedText(text)
    assert.strictEqual(composed.normalize("NFC"), text.normalize("NFC"))
    assert.isTrue(composed.startsWith("до é") && composed.endsWith(", після й"))
  })
})
