// contract §1.3: "SHA-256 of the canonical decoded command, the operation and the ids of the path".
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandPieces } from "@rapport/core/receipts/CommandText.ts"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { fingerprintOf } from "./ReceiptsPostgres.ts"

const none = new Uint8Array()

/** Of a short command: it is one slice. */
const of = (content: unknown, operation = "o", pathIds: ReadonlyArray<string | number> = [501]) =>
  Effect.runSync(fingerprintOf({ operation, pathIds, content }, none))

const command = (content: unknown) => ({ operation: "o", pathIds: [501], content })
const inSlices = (content: unknown) => Effect.runPromise(fingerprintOf(command(content), none))
const inOne = (content: unknown) =>
  `sha256:${createHash("sha256")
    .update([...commandPieces(command(content))].join(""))
    .digest("hex")}`

it("a fingerprint is the SHA-256 in hex of the canonical JSON", () => {
  const text = '["o",[501],{"a":1,"ї":[true,null]}]'
  assert.strictEqual(
    of({ ї: [true, null], a: 1 }),
    `sha256:${createHash("sha256").update(text).digest("hex")}`
  )
})

it.each<readonly [string, unknown, unknown]>([
  ["the order of members, at every depth", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ["1.0 for 1", JSON.parse('{"a":1.0,"b":1e2}'), JSON.parse('{"a":1,"b":100}')],
  ["minus zero", JSON.parse('{"a":-0}'), { a: 0 }],
  ["code points of equal words", { a: "й".normalize("NFD") }, { a: "й".normalize("NFC") }],
  ["code points of equal names", { ["ї".normalize("NFD")]: 1 }, { ["ї".normalize("NFC")]: 1 }],
  ["members that are left out", { a: 1, b: undefined }, { a: 1 }]
])("a fingerprint does not depend on %s", (_, one, other) => {
  assert.strictEqual(of(one), of(other))
})

it.each<readonly [string, unknown, unknown]>([
  ["a value", { a: 1 }, { a: 2 }],
  ["a type", { a: 1 }, { a: "1" }],
  ["null and nothing", { a: null }, {}],
  ["the order of an array", { a: [1, 2] }, { a: [2, 1] }],
  ["capitals", { a: "Ї" }, { a: "ї" }],
  ["the depth", { a: { b: 1 } }, { a: [{ b: 1 }] }],
  ["white space inside texts", { a: "x y" }, { a: "x  y" }],
  ["__proto__", JSON.parse('{"__proto__":{"a":1}}'), {}],
  ["two names that are equal once composed", { й: 1, ["й".normalize("NFD")]: 2 }, { й: 2 }]
])("a fingerprint distinguishes %s", (_, one, other) => {
  assert.notStrictEqual(of(one), of(other))
})

it("a fingerprint distinguishes operations and path ids, and no text passes for another member", () => {
  const all = [
    of({ a: 1 }),
    of({ a: 1 }, "p"),
    of({ a: 1 }, "o", [502]),
    of({ a: 1 }, "o", [501, "crm"]),
    of({ a: 1 }, "o", ["501"]),
    of('{"a":1}')
  ]
  assert.strictEqual(new Set(all).size, all.length)
})

it("a fingerprint contains a password only with a value that makes it slow to guess", () => {
  const setting = { ...command({}), secret: "пароль-їжака" }
  assert.strictEqual(Effect.runSync(fingerprintOf(setting, none)), of({}))
  assert.notStrictEqual(Effect.runSync(fingerprintOf(setting, Uint8Array.of(1))), of({}))
})

it("a fingerprint computed in slices is the same for any content", () =>
  fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (content) => {
      assert.strictEqual(await inSlices(content), inOne(content))
    })
  ))

it("other requests run while a fingerprint of a long history is computed", async () => {
  const text = "Щодо їхнього об’єкта. ".repeat(140)
  const content = { clientId: 501, messages: Array.from({ length: 1_000 }, () => ({ text })) }
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const fingerprint = await inSlices(content)
  clearInterval(counting)
  assert.strictEqual(fingerprint, inOne(content))
  assert.isAtLeast(turns, 5)
})
