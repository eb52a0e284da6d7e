import { assert, describe, it } from "@effect/vitest"
import { RememberedTexts } from "./ContextOpen.ts"

const reads: Array<string> = []
const meaningOf = (texts: RememberedTexts<{ readonly text: string }>) => (text: string) =>
  texts.get(text, () => {
    reads.push(text)
    return { text }
  })

describe("remembered texts", () => {
  it("mean the same object as long as they are asked for, and are read again once they were forgotten", () => {
    const of = meaningOf(new RememberedTexts(20))
    const first = of("aaaaa")
    assert.strictEqual(of("aaaaa"), first)
    of("bbbbb")
    // The younger generation is full: these are in the next one.
    of("ccccc")
    assert.strictEqual(of("aaaaa"), first)
    for (const text of ["ddddd", "eeeee", "fffff", "ggggg"]) of(text)
    assert.notStrictEqual(of("aaaaa"), first)
    assert.deepStrictEqual(of("aaaaa"), { text: "aaaaa" })
  })

  it("that are longer than a generation are read each time", () => {
    const of = meaningOf(new RememberedTexts(20))
    const long = "x".repeat(11)
    assert.notStrictEqual(of(long), of(long))
  })
})
