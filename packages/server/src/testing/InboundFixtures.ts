// Signed requests of a provider to the inbound route of a webhook connector on the channel `web`.
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { Rest } from "./RestFixtures.ts"

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
