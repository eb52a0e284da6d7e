// Signed requests of a provider to the inbound route of a webhook connector on the channel `web`.
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { newBot } from "./DeliveryFixtures.ts"
import { expectStatus, Rest, type RestCaller } from "./RestFixtures.ts"

interface InboundBot {
  readonly id: number
  readonly secret: string
}

/** A caller without a session. */
export const anonymous = { headers: {} }

export const signedHeaders = (bot: InboundBot, body: string, at = new Date()) => {
  const id = `msg_${randomUUID()}`
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(bot.secret).sign(id, at, body)
  }
}

export const postInbound = (bot: InboundBot, body: unknown, headers?: Record<string, string>) =>
  Effect.flatMap(Rest, (rest) => {
    const text = JSON.stringify(body)
    const path = `/kw/api/inbound/${bot.id}/web`
    return rest.call(anonymous, "POST", path, text, headers ?? signedHeaders(bot, text))
  })

/** A message of a client. `over` replaces members of its data, `envelope` adds members next to it. */
export const receivedMessage = (
  over: Record<string, unknown> = {},
  envelope: { timestamp?: string } = {}
) => ({
  type: "message.received",
  ...envelope,
  data: {
    chatId: randomUUID(),
    clientName: "Олена Коваль",
    text: "Де моє замовлення?",
    externalMessageId: "m-1",
    ...over
  }
})

export const TELEGRAM_SECRET = "s3cret_token"
export const telegramHeaders = (secret = TELEGRAM_SECRET) => ({ "x-telegram-bot-api-secret-token": secret })

/** A bot of Telegram, and updates to it; `update` expects that they are accepted. */
export const makeTelegramBot = Effect.fnUntraced(function* (instanceId: number, token = "111:first") {
  const bot = yield* newBot({ kind: "telegram", token, secret: TELEGRAM_SECRET }, instanceId)
  const send = (content: object) => postInbound(bot, { update_id: 1, ...content }, telegramHeaders())
  const update = (content: object) =>
    Effect.map(send(content), (answer) => {
      expectStatus(answer, 200)
      return answer.body
    })
  return { bot, send, update }
})

/** A bot with a node: messages of a client to the bot, and calls of the node to the client. */
export const makeTalkingBot = Effect.fnUntraced(function* (admin: RestCaller) {
  const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, admin.instanceId)
  yield* admin.make(`/bots/${bot.id}/nodes`, { name: "Замовлення", connectorAlias: "order" })
  const receive = (chatId: string, text = "Де моє замовлення?") =>
    postInbound(bot, receivedMessage({ chatId, text, externalMessageId: randomUUID() }))
  const call = (chatId: string) =>
    admin.post("/kw/api/call_node/", {
      bot_id: bot.id,
      connector_alias: "order",
      channel: "web",
      chat_id: chatId,
      data: { message: "Ваше замовлення вже їде" }
    })
  return { bot, call, receive }
})
