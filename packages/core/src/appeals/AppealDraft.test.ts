// Histories are written in slices: nothing lost, nothing moved, each as small as it may be (contract §12).
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chatDraft, slicesOf } from "./AppealDraft.ts"

describe("slicesOf", () => {
  it("holds every message once, in order; only a message that is long by itself makes a slice long", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(130_000), { maxLength: 40 }), (lengths) => {
        const messages = lengths.map((length) => ({ text: "ї".repeat(length) }))
        const slices = slicesOf(messages)
        assert.deepStrictEqual(slices.flat(), messages)
        for (const slice of slices) {
          const characters = slice.reduce((sum, { text }) => sum + text.length, 0)
          assert.isAtLeast(slice.length, 1)
          assert.isAtMost(characters, 256 * 1024)
        }
      }),
      { numRuns: 50 }
    )
  })

  it("leaves a history that is not long as it is", () => {
    const messages = [{ text: "Доброго дня" }, { text: "Да" }]
    assert.deepStrictEqual(slicesOf(messages), [messages])
    assert.deepStrictEqual(slicesOf([]), [])
  })
})

describe("chatDraft", () => {
  it("goes through the bot that the request names", () => {
    const opening = { clientId: 501, now: 0, userId: 1, takesIt: false }
    const request = { clientId: 501, channel: "telegram", chatId: "42" }
    assert.deepInclude(chatDraft({ ...request, botId: 7 }, opening), { botId: 7, chatId: "42" })
    assert.isNull(chatDraft(request, opening).botId)
  })
})
