// The text of a command, from which its fingerprint is made (contract §1.3).
import { assert, it, vi } from "@effect/vitest"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { commandPieces } from "./CommandText.ts"

const half = "\u0001".repeat(64 * 1024 - 1)
const texts = [
  "",
  "Привіт",
  half,
  `${half}a`,
  // A character of two units across the end of a piece, and at it.
  `${half}😀${"ї".repeat(70_000)}`,
  `${half}a😀`,
  "😀".repeat(100_001),
  `"\\\n`.repeat(50_000)
]

const textOf = (content: unknown) => [...commandPieces({ operation: "x", pathIds: [], content })].join("")

it.each(texts.map((text, i) => [i, text] as const))("long text %i is written as by JSON", (_, content) => {
  const message = { content, role: "client" }
  const pieces = [...commandPieces({ operation: "x", pathIds: [1], content: message })]
  assert.isTrue(pieces.join("") === `["x",[1],${canonicalJson(message)}]`)
  for (const piece of pieces) assert.isBelow(piece.length, 400_000)
})
it("a long text is normalised to NFC, also where two pieces meet", () => {
  const long = "a".repeat(64 * 1024 - 1)
  assert.isTrue(textOf(`${long}и\u0306`) === textOf(`${long}й`))
})

const marks = "\u0315".repeat(64 * 1024) + "\u0316".repeat(64 * 1024)
it.each([
  ["as a long text", marks],
  ["within an object", { payload: { note: [marks] } }],
  ["as a name", { payload: { [marks]: 1 } }]
])("a text of combining marks is normalised in short pieces: %s", (_, content) => {
  const normalize = vi.spyOn(String.prototype, "normalize")
  textOf(content)
  const longest = Math.max(...new Set(normalize.mock.contexts.map((piece) => String(piece).length)))
  normalize.mockRestore()
  assert.strictEqual(longest, 30)
})
