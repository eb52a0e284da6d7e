// The token estimate against the exact count, by docs/contract.md §3.2 "budget".
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { exactTokensOf as exact } from "../../testing/ExactTokens.ts"
import { uuidOf } from "../../testing/PackFixtures.ts"
import { tokensOf } from "./Tokens.ts"

const edge = fc.constantFrom(
  "",
  "(",
  '"',
  "\\",
  " ",
  ".",
  "_",
  "«",
  "—",
  "\n",
  "'s",
  "]",
  "{",
  "://",
  "\t",
  "😀",
  "ї"
)
const wordy = fc
  .tuple(
    edge,
    fc.constantFrom("рахунок", "The", "word", "doesn't", "счёт", "п’ять", "12", "CamelCase", "x", ""),
    edge
  )
  .map((parts) => parts.join(""))
const someText = fc.oneof(
  wordy,
  fc.array(wordy, { maxLength: 12 }).map((parts) => parts.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed()),
  fc.string({ unit: "binary-ascii", maxLength: 40 }),
  fc.integer({ min: 0 }).map(uuidOf),
  fc.integer({ min: 0, max: 4_102_444_800_000 }).map((millis) => new Date(millis).toISOString())
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    someText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z][a-zA-Z]{0,12}$/), someText), tie("value"), {
      maxKeys: 6
    })
  )
})).value

describe("tokensOf (docs/contract.md §3.2, budget)", () => {
  it("is never below the o200k_base count of the JSON, of any member of an object", () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.isAtLeast(tokensOf({ value }), exact(JSON.stringify({ value })))
      }),
      { numRuns: 3_000 }
    )
  })

  it("is the same for the same data, remembered or not", () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.strictEqual(tokensOf(value), tokensOf(JSON.parse(JSON.stringify(value))))
      }),
      { numRuns: 200 }
    )
  })

  it("counts over-long pieces by their bytes, in no more than linear time", () => {
    const long = "ї".repeat(200_000)
    assert.isAtLeast(tokensOf(long), 400_000)
  })

  it("takes the names of special tokens for the text they are", () => {
    const value = { text: "a <|endoftext|> b" }
    assert.isAtLeast(tokensOf(value), exact(JSON.stringify(value)))
  })

  it.each([
    "sha256:9f86d081884c7d65",
    uuidOf(7),
    "2026-10-05T10:00:00.000Z",
    "/kw/api/v1/OpChatRooms/9001/messages?around=480123"
  ])("%s takes at most three more than it is", (text) => {
    const alone = exact(JSON.stringify({ a: text, b: 1 })) - exact(JSON.stringify({ a: "", b: 1 }))
    assert.isAtMost(tokensOf(text), alone + 3)
  })
})
