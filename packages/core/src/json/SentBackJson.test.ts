// Integers beyond 2^53−1 are shown with an exponent, so that the client may send them back (contract §1, "Strictness").
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { sentBackJson, sentBackText } from "./SentBackJson.ts"

it.each([
  ['{"x":10000000000000000}', '{"x":1e+16}'],
  [
    "[-36893488147419103232]",
    "[-36893488147419103000]".replace("36893488147419103000", "3.6893488147419103e+19")
  ],
  ['{"x":9007199254740991,"y":-9007199254740991}', '{"x":9007199254740991,"y":-9007199254740991}'],
  ['["10000000000000000"]', '["10000000000000000"]'],
  [String.raw`["a\"10000000000000000",10000000000000000]`, String.raw`["a\"10000000000000000",1e+16]`],
  [String.raw`["\\",10000000000000000]`, String.raw`["\\",1e+16]`],
  ["[0.1234567890123456789,10000000000000000.5,1e-7]", "[0.1234567890123456789,10000000000000000.5,1e-7]"]
])("%s is sent as %s", (json, shown) => {
  assert.strictEqual(sentBackText(json), shown)
})

it("numbers keep their value, and requests accept every integer", () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1e16, -(2 ** 53), 2 ** 64)
  )
  const value = fc.dictionary(
    fc.string(),
    fc.array(fc.oneof(number, fc.string(), fc.constant("1".repeat(20))))
  )
  fc.assert(
    fc.property(value, (any) => {
      const text = sentBackJson(any)
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(any)))
      for (const [integer] of text
        .replaceAll(/"(?:[^"\\]|\\.)*"/gsu, "")
        .matchAll(/(?<![\d.eE+-])-?\d+(?![\d.eE])/gu))
        assert.isTrue(Number.isSafeInteger(Number(integer)), text)
    })
  )
})

it("a text of a megabyte is accepted", () => {
  const text = JSON.stringify({ text: '"'.repeat(1_000_000), x: 1e16 })
  assert.isTrue(sentBackText(text).endsWith('"x":1e+16}'))
})
