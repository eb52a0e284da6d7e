import { assert, describe, it } from "@effect/vitest"
import { RecurringTexts } from "./RecurringTexts.ts"

const made = () => {
  const clock = { millis: 0 }
  const texts = new RecurringTexts(() => clock.millis)
  /** Whether it is kept when it is asked for the third time. */
  const askThrice = (key: string, tenant: number) =>
    [0, 1, 2].map(() => texts.isKept(key, tenant)).at(-1) === true
  return { clock, texts, askThrice }
}
const named = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name} ${n}`)

describe("texts that come again", () => {
  it("are kept from the third time in a minute on, whoever asks", () => {
    const { texts } = made()
    assert.deepStrictEqual(
      [1, 2, 1, 2].map((tenant) => texts.isKept("a", tenant)),
      [false, false, true, true]
    )
    assert.isFalse(texts.isKept("b", 1))
  })

  it("are not kept when minutes lie between", () => {
    const { clock, texts } = made()
    for (clock.millis = 0; clock.millis < 600_000; clock.millis += 40_000)
      assert.isFalse(texts.isKept("a", 1))
  })

  it("of one tenant leave room for those of others", () => {
    const { askThrice } = made()
    assert.strictEqual(named(100, "a").filter((key) => askThrice(key, 1)).length, 16)
    assert.strictEqual(named(100, "b").filter((key) => askThrice(key, 2)).length, 8)
    assert.isTrue(askThrice("a 0", 1))
    assert.isTrue(askThrice("b 7", 2))
  })

  it("are forgotten for others when nobody asked for a minute", () => {
    const { askThrice, clock, texts } = made()
    for (const key of named(16, "a")) askThrice(key, 1)
    clock.millis = 59_000
    for (const key of named(15, "a")) texts.isKept(key, 1)
    assert.isFalse(askThrice("b", 1))
    clock.millis = 61_000
    assert.isTrue(askThrice("b", 1))
    assert.isFalse(texts.isKept("a 15", 1))
    assert.isTrue(texts.isKept("a 14", 1))
  })

  it("are not looked for in a flood of texts that do not", () => {
    const { askThrice } = made()
    for (const key of named(512, "once")) askThrice(key, 3)
    assert.isFalse(askThrice("a", 1))
  })
})
