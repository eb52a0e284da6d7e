// The token estimate is compared with the exact count (contract §3.2 "budget").
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { exactTokensOf } from "../../testing/ExactTokens.ts"
import { uuidOf } from "../../testing/PackFixtures.ts"
import { NO_RANK, readTokenTable, tokensOf, tokenTable } from "./Tokens.ts"
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"

const edge = fc.constantFrom("", "'s", "://", ...'("\\ ._«—\n]{\t😀ї')
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

const someWord = fc.constantFrom(
  ..."рахунок Рахунок за VB-667419 CamelCase ABCdef обʼєкт з'єднання it's IT'S we're 12 1234567 ґанок їжа съёмка internationalization".split(
    " "
  ),
  ..."Привет ПРИВЕТ приветМир a я 019f054a-c898-70d2-8783-d5f4fbfca0dd".split(" "),
  ..."переподключение зависает <|endoftext|> 漢字 ภาษาไทย नमस्ते \u200b e\u0301 \ufffd".split(" ")
)
const signs = [..." \u00a0_.,:;/?=&%+-[]()'!#$*@<>^`{|}~«»—–’“”„…№\"\\\n漢é😀"]

describe("tokensOf (contract §3.2, budget)", () => {
  it("is never below the o200k_base count of the JSON, of any member of an object", () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.isAtLeast(tokensOf({ value }), exactTokensOf(JSON.stringify({ value })))
      }),
      { numRuns: 3_000 }
    )
  })

  it("is the same for the same data, cached or not", () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.strictEqual(tokensOf(value), tokensOf(JSON.parse(JSON.stringify(value))))
      }),
      { numRuns: 200 }
    )
  })

  it("counts the bytes of over-long pieces, in linear time", () => {
    const long = "ї".repeat(200_000)
    assert.isAtLeast(tokensOf(long), 400_000)
  })

  it("counts words and signs exactly, plus one token for the quote", () => {
    const written = fc
      .array(fc.oneof(someWord, fc.constantFrom(...signs, ...signs)), { maxLength: 14 })
      .map((parts) => `x${parts.join("")}x`)
      // A longer piece counts its bytes.
      .filter((text) => !/[\p{L}\p{M}']{65}|[^\s\p{L}\p{N}]{65}/u.test(text))
    fc.assert(
      fc.property(written, (text) => {
        assert.strictEqual(tokensOf(text), exactTokensOf(JSON.stringify(text).slice(1, -1)) + 1, text)
      }),
      { numRuns: 5_000 }
    )
  })

  it.each([
    "sha256:9f86d081884c7d65",
    uuidOf(7),
    "2026-10-05T10:00:00.000Z",
    "/kw/api/v1/OpChatRooms/9001/messages?around=480123"
  ])("%s counts at most three tokens too many", (text) => {
    const own =
      exactTokensOf(JSON.stringify({ a: text, b: 1 })) - exactTokensOf(JSON.stringify({ a: "", b: 1 }))
    assert.isAtMost(tokensOf(text), own + 3)
  })
})

describe("readTokenTable", () => {
  it("knows every token by its bytes, and no shorter or longer bytes", () => {
    const rankOf = readTokenTable(tokenTable)
    const encoder = new TextEncoder()
    const known = new Set(
      ranks.map((token) => String(typeof token === "string" ? encoder.encode(token) : token))
    )
    const wrong: Array<number> = []
    for (const [rank, token] of ranks.entries()) {
      const bytes = typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token)
      if (rankOf(bytes, 0, bytes.length) !== rank) wrong.push(rank)
      if (rank % 50 > 0) continue
      const longer = Uint8Array.from([...bytes, 0xff])
      if (rankOf(longer, 0, longer.length) !== NO_RANK) wrong.push(rank)
      const shorter = bytes.subarray(1)
      if (known.has(String(shorter)) !== (rankOf(bytes, 1, bytes.length) !== NO_RANK)) wrong.push(rank)
    }
    assert.deepStrictEqual(wrong, [])
  })
})
