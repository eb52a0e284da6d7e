// The examples of RFC 7396, appendix A (contract §4: "`merge` (RFC 7396)").
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mergePatch } from "./MergePatch.ts"

// The root of a state is an object. Other roots of the RFC's examples are put into `x`.
const table: ReadonlyArray<readonly [target: string, patch: string, result: string]> = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"x":["a","b"]}', '{"x":["c","d"]}', '{"x":["c","d"]}'],
  ['{"x":{"a":"b"}}', '{"x":["c"]}', '{"x":["c"]}'],
  ['{"x":{"a":"foo"}}', '{"x":null}', "{}"],
  ['{"x":{"a":"foo"}}', '{"x":"bar"}', '{"x":"bar"}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['{"x":[1,2]}', '{"x":{"a":"b","c":null}}', '{"x":{"a":"b"}}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  // Arrays are replaced as a whole, so a null inside an array stays.
  ['{"a":[1]}', '{"a":[null,{"b":null}]}', '{"a":[null,{"b":null}]}']
]

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1.5, "", "їжак"),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("members")
  ),
  members: fc.dictionary(fc.constantFrom("a", "b", "ґ", "__proto__", "constructor"), tie("value"), {
    maxKeys: 4,
    noNullPrototype: true
  })
})).members as fc.Arbitrary<Record<string, unknown>>

it.each(table)("a merge patch of %s with %s gives %s", (target, patch, result) => {
  assert.strictEqual(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch))), result)
})

it("a merge patch into nothing drops its nulls", () => {
  assert.deepStrictEqual(mergePatch(null, { a: null, b: { c: null, d: 1 } }), { b: { d: 1 } })
})

it("a merge patch treats __proto__ and constructor like any other name", () => {
  const target = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}}}')
  const patch = JSON.parse('{"__proto__":{"c":2},"constructor":{"prototype":{"b":null}}}')
  assert.strictEqual(
    JSON.stringify(mergePatch(target, patch)),
    '{"__proto__":{"a":1,"c":2},"constructor":{"prototype":{}}}'
  )
  assert.isUndefined(Reflect.get({}, "c"))
})

it("a merge patch is idempotent, and modifies neither target nor patch", () => {
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const before = JSON.stringify([target, patch])
      const merged = mergePatch(target, patch)
      assert.strictEqual(JSON.stringify([target, patch]), before)
      assert.strictEqual(JSON.stringify(mergePatch(merged, patch)), JSON.stringify(merged))
    })
  )
})
