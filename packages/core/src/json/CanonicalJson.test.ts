import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalBytes, canonicalJson, orderedJson, WrittenJson } from "./CanonicalJson.ts"

it("canonical JSON sorts members by UTF-16 code units, and writes numbers and texts as ECMAScript does", () => {
  assert.strictEqual(
    canonicalJson({
      "\u20ac": 1,
      "\r": 2,
      "\u{1f600}": 3,
      "1": 4,
      "\u00f6": 5,
      "\ufb33": 6,
      b: [1e21, -0, 0.1, null]
    }),
    '{"\\r":2,"1":4,"b":[1e+21,0,0.1,null],"ö":5,"€":1,"😀":3,"\ufb33":6}'
  )
})

/** Written member by member. */
const reference = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(reference).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => [JSON.stringify(name), reference(inner), name])
  return `{${members
    .toSorted(([, , a = ""], [, , b = ""]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${name}:${inner}`)
    .join()}}`
}

it("canonical JSON does not depend on the order of members", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.strictEqual(canonicalJson(value), reference(value))
      assert.strictEqual(orderedJson(value), JSON.stringify(value))
      assert.strictEqual(canonicalBytes(value), new TextEncoder().encode(canonicalJson(value)).byteLength)
    })
  )
})

it("names that look like indexes are sorted too", () => {
  assert.strictEqual(
    canonicalJson({ "9": 1, "10": { b: 1, a: [{ d: 1, c: 2 }] } }),
    '{"10":{"a":[{"c":2,"d":1}],"b":1},"9":1}'
  )
})

it("a written part is canonical in both orders, and written once", () => {
  const part = new WrittenJson({ b: 1, a: undefined, c: { e: 1, d: 2 } })
  const text = '{"b":1,"c":{"d":2,"e":1}}'
  assert.strictEqual(orderedJson({ y: [part], x: { z: 1, a: 2 } }), `{"y":[${text}],"x":{"z":1,"a":2}}`)
  assert.strictEqual(canonicalJson({ y: [part], x: { z: 1, a: 2 } }), `{"x":{"a":2,"z":1},"y":[${text}]}`)
})
