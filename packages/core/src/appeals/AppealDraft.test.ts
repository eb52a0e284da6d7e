// A long history of messages is written in slices (contract §12).
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chatDraft, slicesOf } from "./AppealDraft.ts"

it("slices have every message once, in order, and at most 256 KiB of characters", () => {
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

it("a short history is one slice", () => {
  const messages = [{ text: "Доброго дня" }, { text: "Да" }]
  assert.deepStrictEqual(slicesOf(messages), [messages])
  assert.deepStrictEqual(slicesOf([]), [])
})

it("a chat is connected to the bot that the request names", () => {
  const opening = { now: 0, taker: null }
  const request = { clientId: 501, channel: "telegram", chatId: "42" }
  assert.deepInclude(chatDraft({ ...request, botId: 7 }, opening), { botId: 7, chatId: "42" })
  assert.isNull(chatDraft(request, opening).botId)
})
