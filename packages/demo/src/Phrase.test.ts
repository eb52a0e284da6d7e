// Phrases, and their wordings.
import { assert, describe, it } from "@effect/vitest"
import { makePhrase, Wordings } from "./Phrase.ts"

const slot = (name: string) => (name === "name" ? "Olena" : "UAH 20")

const all = (source: string, gender: "m" | "f" = "f") => {
  const phrase = makePhrase(source, { hi: "[Hello|Hi]" })
  return Array.from({ length: phrase.count }, (_, i) => phrase.wording(i, slot, gender))
}

describe("a phrase", () => {
  it("has the product of its parts and the sum of its alternatives as wordings", () => {
    assert.deepStrictEqual(all("[a|b[c|d]] [x|y]"), ["A x", "Bc x", "Bd x", "A y", "Bc y", "Bd y"])
  })

  it("fills slots, genders and shared parts, and capitalises sentences", () => {
    assert.deepStrictEqual(all("@hi, {name}! я <отримав|отримала> {amount}."), [
      "Hello, Olena! Я отримала UAH 20.",
      "Hi, Olena! Я отримала UAH 20."
    ])
    assert.deepStrictEqual(all("<отримав|отримала>", "m"), ["Отримав"])
  })

  it("has no double space for an empty part, and keeps names such as iPhone", () => {
    assert.deepStrictEqual(all("iPhone [|is] a Archer"), ["iPhone an Archer", "iPhone is an Archer"])
  })

  for (const wrong of ["[a|b", "a|b", "a]", "{name", "<a>", "<a|b|c>", "@nobody", "a > b"])
    it(`refuses ${wrong}`, () => assert.throws(() => makePhrase(wrong)))

  it("uses each wording once before it repeats one", () => {
    const phrase = makePhrase("[a|b|c|d] [e|f|g]")
    const wordings = new Wordings()
    const texts = Array.from({ length: 24 }, () => wordings.next(phrase))
    assert.strictEqual(new Set(texts.slice(0, 12)).size, 12)
    assert.deepStrictEqual(texts.slice(12), texts.slice(0, 12))
  })
})
