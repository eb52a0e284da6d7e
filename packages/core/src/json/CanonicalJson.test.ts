import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalBytes, canonicalJson, inOrder, orderMembers } from "./CanonicalJson.ts"

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
      assert.strictEqual(canonicalJson(inOrder(value)), canonicalJson(value))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(inOrder(value))), JSON.parse(JSON.stringify(value)))
      assert.strictEqual(canonicalBytes(value), new TextEncoder().encode(canonicalJson(value)).byteLength)
    })
  )
})

it("members can be put in order, except names that look like indexes", () => {
  assert.strictEqual(JSON.stringify(inOrder({ b: 1, a: [{ d: 1, c: 2 }] })), '{"a":[{"c":2,"d":1}],"b":1}')
  assert.strictEqual(JSON.stringify(inOrder({ "10": 2, "9": 1 })), '{"9":1,"10":2}')
  assert.strictEqual(canonicalJson({ "9": 1, "10": 2 }), '{"10":2,"9":1}')
})

it("a value in canonical order is returned itself, not a copy", () => {
  const sorted = { a: [{ b: 1, c: [1, { d: null }] }], z: "z" }
  assert.strictEqual(inOrder(sorted), sorted)
  const changed = inOrder({ a: sorted, b: { d: 1, c: 2 } })
  assert.strictEqual((changed as { readonly a: unknown }).a, sorted)
})

it("a deeply nested value is visited once", () => {
  let visits = 0
  const leaf = new Proxy({ b: 1, a: 2 }, { ownKeys: (own) => (visits++, Reflect.ownKeys(own)) })
  const deep = Array.from({ length: 60 }).reduce<unknown>((inside) => ({ x: [inside] }), leaf)
  inOrder(deep)
  assert.strictEqual(visits, 1)
})

it("`orderMembers` sorts only the outer object", () => {
  const value = { b: { d: 1, c: 2 }, a: 3 }
  assert.strictEqual(JSON.stringify(orderMembers(value)), '{"a":3,"b":{"d":1,"c":2}}')
  assert.strictEqual(orderMembers(value).b, value.b)
})
