// Documents that the JSON reader refuses, by contract §1 "Strictness": examples by name, and random documents with one fault.
import { assert, it } from "@effect/vitest"
import { JSON_DEPTH_MAX, JSON_ITEMS_MAX, JSON_NAMES_MAX } from "@rapport/contract/Limits.ts"
import { withTurns } from "@rapport/core/testing/EventLoop.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import { strictJson } from "./StrictJson.ts"

const checkBytes = (bytes: Uint8Array) => Effect.runSync(strictJson(bytes))
const check = (text: string) => checkBytes(Buffer.from(text, "utf8"))
const fault = (text: string) => {
  const result = check(text)
  return "fault" in result ? result.fault : undefined
}
const value = (text: string): unknown => {
  const result = check(text)
  return "text" in result ? JSON.parse(result.text) : undefined
}

it.each([
  "",
  "  \n",
  "null",
  "[]",
  '"x"',
  '{"a":1}x',
  '{"a":01}',
  '{"a":"\\u\u00100\u001000"}',
  '{"a":"\\',
  '{"a":"\\u00',
  '{"a":-}',
  '{"a":1.}'
])("a body that is no JSON object is refused: %j", (text) => assert.isDefined(fault(text)))
it("a body with a byte order mark is refused", () =>
  assert.strictEqual(fault("\ufeff{}"), "must not begin with a byte order mark"))
it("a body that is not UTF-8 is refused", () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]]) {
    const body = Uint8Array.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')])
    assert.deepStrictEqual(checkBytes(body), { fault: "must be UTF-8" })
  }
})
it.each(["{}", ' \t\r\n{"a" : 1} ', '{"a":"пошта, ґанок, 😀"}'])("a JSON object is accepted: %j", (text) =>
  assert.deepStrictEqual(value(text), JSON.parse(text))
)

it.each([
  '{"a":1,"a":1}',
  '{"x":{"b":1,"b":2}}',
  '{"x":[{"b":1,"\\u0062":1}]}',
  '{"x":[1,{"y":[{"__proto__":1,"__proto__":2}]}]}'
])("a repeated name is refused: %s", (text) =>
  assert.strictEqual(fault(text), "must not hold the same name twice in one object")
)
it.each(['{"a":"x\\u0000"}', '{"a":["\\ud800"]}', '{"\\udfff":1}', '{"a":"\\udc00\\ud800"}'])(
  "a NUL or a lone surrogate is refused: %s",
  (text) => assert.isDefined(fault(text))
)
it("names that only look alike are different", () =>
  assert.deepStrictEqual(value('{"a":1,"A":2,"a ":3}'), { a: 1, A: 2, "a ": 3 }))

it.each([
  '{"a\\"b":1}',
  '{"a\\u0022b":1}',
  '{"a\\\\b":1}',
  '{"a\\u005cb":1}',
  '{"a\\nb":1}',
  '{"\\u0001":1}'
])("a name with a quotation mark, backslash or control character is refused: %s", (text) =>
  assert.strictEqual(
    fault(text),
    "must not hold a name with a quotation mark, backslash or control character"
  )
)
it("other escapes in names are decoded, also after a name that is a backslash", () => {
  JSON.parse('{"\\\\":1}')
  assert.deepStrictEqual(check('{"a":1,"\\u0061b\\/":2,"\\u0457":3}'), {
    text: '{"a":1,"ab/":2,"ї":3}',
    names: ["a", "ab/", "ї"]
  })
})
it("unusual names are kept", () => {
  const text = '{"__proto__":{"polluted":1},"":1," ":2,"1":1,"constructor":{"prototype":1}}'
  assert.deepInclude(check(text), { text })
})

it("a surrogate pair is accepted", () => assert.deepStrictEqual(value('{"a":"\\ud83d\\ude00"}'), { a: "😀" }))

it.each([
  "12345678901234567890",
  "9007199254740992",
  "-9007199254740993",
  "9007199254740993.0",
  "-9007199254740993e0",
  "900719925474099.3e1",
  "9007199254740991.5",
  "12345678901234567890123e0",
  "1e400",
  "-1e400",
  "1e-400",
  "-0.1e-400"
])("the number %s, which no double or safe integer holds, is refused", (number) => {
  assert.isDefined(fault(`{"a":${number}}`))
  assert.isDefined(fault(`{"a":[{"b":[${number}]}]}`))
})
it.each([
  "9007199254740991",
  "-9007199254740991",
  "0.1234567890123456789012",
  "1e30",
  "1e16",
  "1e23",
  "9007199254740994.0",
  "9.007199254740994e15",
  "3.6893488147419103232e19",
  "3.6893488147419103e19",
  "5e-324",
  "0",
  "-0",
  "0e-400",
  "0.000e9"
])("the number %s is accepted", (number) => assert.isUndefined(fault(`{"a":${number}}`)))

it.each(["[]", "{}"])("nesting is at most 64 deep, the body itself being 1: %s", (brackets) => {
  const nestArrays = (depth: number) =>
    brackets === "[]"
      ? `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`
      : `${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`
  assert.isUndefined(fault(nestArrays(JSON_DEPTH_MAX - 1)))
  assert.strictEqual(fault(nestArrays(JSON_DEPTH_MAX)), "must not be nested deeper than 64")
  assert.isDefined(fault(nestArrays(50_000)))
})

const name = fc
  .string({ unit: "grapheme", maxLength: 6 })
  .filter((text) => !/["\\\p{Cc}]/u.test(text) && text.isWellFormed())
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.string({ unit: "grapheme" }).filter((text) => text.isWellFormed() && !text.includes("\0")),
      fc.boolean(),
      fc.constant(null),
      fc.maxSafeInteger()
    ),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(name, tie("tree"), { maxKeys: 4 })
  )
}))
const document = fc.dictionary(name, tree, { maxKeys: 5 })

it("every valid random document is accepted and means what JSON.parse reads", () => {
  fc.assert(
    fc.property(document, fc.nat(3), (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      assert.deepStrictEqual(value(text), JSON.parse(text))
    }),
    { numRuns: 1_000 }
  )
})

it("a name repeated anywhere in a random document is always found", () => {
  fc.assert(
    fc.property(document, name, fc.boolean(), fc.nat(), (object, repeated, escaped, place) => {
      const text = JSON.stringify(object)
      const second =
        escaped && repeated !== ""
          ? `"\\u${repeated.charCodeAt(0).toString(16).padStart(4, "0")}${repeated.slice(1)}"`
          : JSON.stringify(repeated)
      const planted = `{${JSON.stringify(repeated)}:1,${second}:2}`
      const values = [...text.matchAll(/:(?=(?:true|false|null|\[\]|\{\}))/gu)].filter(({ index }) =>
        isOutsideTexts(text, index)
      )
      const at = values[place % Math.max(1, values.length)]
      const faulty =
        at === undefined
          ? planted
          : text.slice(0, at.index + 1) +
            planted +
            text.slice(at.index + 1).replace(/^(?:true|false|null|\[\]|\{\})/u, "")
      // A lone half of a surrogate pair may be cut off by the escape: another fault, as long as it is one.
      assert.isDefined(fault(faulty), faulty)
    }),
    { numRuns: 1_000 }
  )
})

const isOutsideTexts = (text: string, index: number): boolean => {
  let inside = false
  for (let i = 0; i < index; i++) {
    if (text[i] === "\\") i++
    else if (text[i] === '"') inside = !inside
  }
  return !inside
}

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it("the grammar is that of JSON.parse for documents with one changed character", () => {
  const seeds = [
    '{"a":[1,-2.5e+3,{"b":null,"c":"x\\u0416\\n\\\\"}],"d":true, "e" : false}',
    '{"long":[[],{},[{}],"",0,-0,0.5,1E2],"\\u0061b":"\\ud83d\\ude00"}'
  ]
  const letter = fc.constantFrom(...'{}[]",:\\eE+-.0123 9tfnula/ \t\n\u0001\u0010\u007fЖ')
  fc.assert(
    fc.property(fc.constantFrom(...seeds), fc.nat(), fc.nat(2), letter, (seed, place, change, added) => {
      const at = place % seed.length
      const text = seed.slice(0, at) + (change === 0 ? "" : added) + seed.slice(change === 1 ? at : at + 1)
      const found = fault(text)
      if (!parses(text)) assert.isDefined(found, text)
      else if (found !== undefined) assert.notInclude(found, "valid JSON", text)
    }),
    { numRuns: 20_000 }
  )
})
const objectWithNames = (n: number) =>
  `{${Array.from({ length: n }, (_, i) => `"${i.toString(36)}":0`).join(",")}}`
const arrayOf = (n: number, item: string) => `{"a":[${Array.from({ length: n }, () => item).join(",")}]}`

it("a body has at most 32768 members", () => {
  assert.isUndefined(fault(objectWithNames(JSON_NAMES_MAX)))
  assert.strictEqual(fault(objectWithNames(JSON_NAMES_MAX + 1)), "must not hold more than 32768 members")
})
it.each(["0", "{}", "[]"])("a body has at most 131072 array values: %s", (item) => {
  assert.isUndefined(fault(arrayOf(JSON_ITEMS_MAX - (item === "[]" ? 1 : 0), item)))
  assert.strictEqual(
    fault(arrayOf(JSON_ITEMS_MAX + 1, item)),
    "must not hold more than 131072 values in its arrays"
  )
})

it.each([
  ["white space", `{${" ".repeat(6_000_000)}}`, 1],
  ["one text", `{"a":"${"x".repeat(6_000_000)}"}`, 20],
  ["escapes", `{"a":"${"\\u0436".repeat(1_000_000)}"}`, 20],
  ["one name", `{"${"\\u0436".repeat(1_000_000)}":0}`, 20],
  ["members", `{${Array.from({ length: 32_000 }, (_, i) => `"${"n".repeat(150)}${i}":0`).join(",")}}`, 20],
  [
    "values",
    `{"a":[${Array.from({ length: 130_000 }, (_, i) => `"not so short a text ${i}"`).join(",")}]}`,
    20
  ]
] as const)("a long body lets other requests run while it is checked: %s", async (_, body, turnsMin) => {
  const bytes = new TextEncoder().encode(body)
  const { result, turns } = await withTurns((turns) =>
    Effect.map(strictJson(bytes), (result) => ({ result, turns: turns() }))
  )
  assert.notProperty(result, "fault")
  assert.isAtLeast(turns, turnsMin)
})
