// Tokens are counted as the reference counts them, whatever the text.
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"
import { exactTokensOf } from "../../testing/ExactTokens.ts"
import { TOKEN_PIECE_UNITS_MAX } from "../PackLimits.ts"
import { countBytePairs } from "./BytePairs.ts"
import { NO_RANK, readTokenTable } from "./TokenTable.ts"
import { tokenTableBytes } from "./TokenTableBytes.ts"

const words = fc.constantFrom(
  ..."рахунок безпідставно списали гроші з'єднання ґанок їжа съёмка переподключение зависает".split(" "),
  ..."internationalization CamelCaseWord JSONBody <|endoftext|> <|im_start|> \ufffd 👩‍👩‍👧 e\u0301".split(" "),
  ..."\u0000 \ud800 \udfff\ud800 漢字 ภาษาไทย नमस्ते \u200b ​ \u00a0 'RE 0123456789".split(" ")
)
const text = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: TOKEN_PIECE_UNITS_MAX }),
    fc.string({ unit: "grapheme", maxLength: TOKEN_PIECE_UNITS_MAX / 4 }),
    fc.string({
      unit: fc.constantFrom(..."абвгґдеєжзиіїйклмнопрстуфхцчшщьюяыъэё"),
      maxLength: TOKEN_PIECE_UNITS_MAX
    }),
    fc.string({ unit: fc.constantFrom(..."etaoinshrdluETAOIN "), maxLength: TOKEN_PIECE_UNITS_MAX }),
    fc.array(words, { maxLength: 6 }).map((parts) => parts.join(" "))
  )
  // The reference reads bytes as text to look them up, and loses a mark of byte order where it does.
  .map((found) => found.replaceAll("\ufeff", "").slice(0, TOKEN_PIECE_UNITS_MAX))

describe("countBytePairs", () => {
  it("counts what the reference counts", () => {
    fc.assert(
      fc.property(text, (one) => {
        assert.strictEqual(countBytePairs(one), exactTokensOf(one), JSON.stringify(one))
      }),
      { numRuns: 5_000 }
    )
  })

  it("counts a mark of byte order as the token that it is", () => {
    assert.deepStrictEqual(["\ufeff", "\ufeffmark", "\ufeffрахунок"].map(countBytePairs), [1, 2, 1 + 2])
  })

  it("knows every token by its bytes, and none that is cut short or goes on", () => {
    const rankOf = readTokenTable(tokenTableBytes)
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
