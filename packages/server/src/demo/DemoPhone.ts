// The phone of a client in a demo: a webhook receiver on loopback that checks every signature.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { InboundStore } from "@rapport/core/delivery/InboundStore.ts"
import { Clock, Context, Effect, Layer, Option, Queue, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import type { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import { withinBytes } from "../http/BodyLimit.ts"
import { isSigned } from "../delivery/WebhookSignature.ts"
import { type DemoBot, ensureDemoBot, PHONE_CHANNEL } from "./DemoBot.ts"
import { Phone } from "./Phone.ts"

export interface DemoPhoneShape extends DemoBot {
  readonly phone: Phone
  /** The only private address that webhooks of a demo may reach. */
  readonly receiverUrl: string
  /** Received messages whose delivery is not reported yet. */
  readonly arrived: Queue.Queue<number>
}

/** Null without a demo. */
export const DemoPhone = Context.Reference<DemoPhoneShape | null>("@rapport/server/DemoPhone", {
  defaultValue: () => null
})

const BODY_BYTES_MAX = 512 * 1024
const ARRIVED_MAX = 1_000

/** Without a port or a free channel the service starts without the phone. */
export const demoPhoneLayer: Layer.Layer<never, never, SqlClient.SqlClient | InboundStore> = Layer.effect(
  DemoPhone,
  Effect.gen(function* () {
    const phone = new Phone()
    const arrived = yield* Queue.dropping<number>(ARRIVED_MAX)
    const server = yield* NodeHttpServer.make(() => createServer(), { host: "127.0.0.1", port: 0 })
    const port = NetAddress.isInetAddress(server.address) ? server.address.port : 0
    const receiverUrl = `http://127.0.0.1:${port}/demo-phone`
    const bot = yield* ensureDemoBot(receiverUrl)
    if (bot === undefined) return null
    const store = yield* InboundStore
    yield* server.serve(
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.provideService(receive(request, { botId: bot.botId, phone, arrived }), InboundStore, store)
      )
    )
    return { ...bot, phone, receiverUrl, arrived }
  }).pipe(Effect.catch((error) => Effect.as(Effect.logWarning("the demo has no phone", error), null)))
)

const Content = Schema.Struct({
  messageId: Schema.Int,
  text: Schema.String,
  attachments: Schema.Array(Schema.Struct({ name: Schema.String }))
})
const SentEvent = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ type: Schema.Literals(["message.send", "message.edited"]), data: Content }),
    Schema.Struct({
      type: Schema.Literal("message.deleted"),
      data: Schema.Struct({ messageId: Schema.Int })
    })
  ])
)
const decodeSent = Schema.decodeUnknownOption(SentEvent)

const receive = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { arrived, botId, phone }: Pick<DemoPhoneShape, "arrived" | "botId" | "phone">
) {
  const { headers } = request
  const body = yield* request.text.pipe(
    withinBytes(BODY_BYTES_MAX),
    Effect.orElseSucceed(() => "")
  )
  const connector = yield* (yield* InboundStore).findConnector(botId, PHONE_CHANNEL)
  const now = yield* Clock.currentTimeMillis
  const id = headers["webhook-id"] ?? ""
  const message = {
    id,
    body,
    timestamp: headers["webhook-timestamp"] ?? "",
    signature: headers["webhook-signature"] ?? ""
  }
  if (connector === undefined || !isSigned(connector.secrets, message, now))
    return HttpServerResponse.empty({ status: 401 })
  const sent = Option.getOrUndefined(decodeSent(body))
  if (sent === undefined) return HttpServerResponse.empty({ status: 400 })
  const { messageId } = sent.data
  if (sent.type === "message.deleted") phone.change(messageId, null)
  else {
    const text = [sent.data.text, ...sent.data.attachments.map(({ name }) => `📎 ${name}`)].join("\n").trim()
    if (sent.type === "message.edited") phone.change(messageId, text)
    else if (phone.receive({ deliveryId: id, messageId, text }, now)) yield* Queue.offer(arrived, messageId)
  }
  return HttpServerResponse.empty({ status: 204 })
})
