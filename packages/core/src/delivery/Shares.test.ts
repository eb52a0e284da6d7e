import { assert, it } from "@effect/vitest"
import { Shares } from "./Shares.ts"

const line = (chatId: string, botId = 1) => ({ instanceId: 1, botId, channel: "web", chatId })
const throttleChat = (shares: Shares, chatId: string, until: number) => {
  shares.begin(line(chatId))
  shares.throttle(line(chatId), until, 0)
  shares.end(line(chatId), true, 0)
}

it("a connector is not paused while only one of its chats is throttled", () => {
  const shares = new Shares()
  throttleChat(shares, "a", 5_000)
  throttleChat(shares, "a", 5_000)
  assert.isUndefined(shares.pauseMillis(0))
})

it("a connector is paused while two of its chats are throttled", () => {
  const shares = new Shares()
  throttleChat(shares, "a", 1_000)
  throttleChat(shares, "b", 5_000)
  assert.strictEqual(shares.pauseMillis(0), 5_000)
  assert.deepStrictEqual(shares.free(4_999).connectors, [
    { instanceId: 1, botId: 1, channel: "web", free: 0 }
  ])
  assert.isEmpty(shares.free(5_000).connectors)
})

it("a connector is not paused if two of its chats are throttled at different times", () => {
  const shares = new Shares()
  throttleChat(shares, "a", 1_000)
  shares.throttle(line("b"), 3_000, 1_000)
  assert.isUndefined(shares.pauseMillis(1_000))
})
