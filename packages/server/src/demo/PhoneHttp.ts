// The page of a client's phone in a demo. Its messages arrive by webhook and leave through the signed inbound route.
import { APPEAL_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { ShortText } from "@rapport/contract/values/Members.ts"
import { textOf } from "@rapport/contract/values/Checks.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { InboundStore } from "@rapport/core/delivery/InboundStore.ts"
import { Clock, Effect, Layer, Option, Queue, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { signedHeaders } from "../delivery/WebhookSignature.ts"
import { enteringLayer } from "../http/mcp/InProcessClient.ts"
import { withinBytes } from "../http/BodyLimit.ts"
import { HttpSettings } from "../http/HttpSettings.ts"
import { PHONE_CHANNEL } from "./DemoBot.ts"
import { DemoPhone, type DemoPhoneShape } from "./DemoPhone.ts"
import { isOwnHost, makeMessageLimit } from "./PhoneGuard.ts"

const guarded = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

const BODY_BYTES_MAX = 16 * 1024

export const phoneLayer = Layer.unwrap(
  Effect.map(DemoPhone, (demo) =>
    demo === null ? Layer.empty : Layer.provide(routesOf(demo), enteringLayer)
  )
)

const routesOf = (demo: DemoPhoneShape) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const inbound = yield* makeInbound(demo)
      const { publicOrigin } = yield* HttpSettings
      const open = withOwnHost(publicOrigin)
      for (const [path, file, contentType] of assets) {
        const bytes = yield* Effect.promise(() => readFile(fileURLToPath(import.meta.resolve(file))))
        const asset = HttpServerResponse.uint8Array(new Uint8Array(bytes), { contentType, headers: guarded })
        yield* router.add(
          "GET",
          path,
          open(() => Effect.succeed(asset))
        )
      }
      yield* router.add(
        "GET",
        "/demo/phone/messages",
        open(() => showPhone(demo))
      )
      yield* router.add("POST", "/demo/phone/messages", open(makeMessageHandler(demo, inbound)))
      yield* router.add("POST", "/demo/phone/read", open(makeReadHandler(demo, inbound)))
      // Reports deliveries as a provider does.
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.flatMap(Queue.take(demo.arrived), (messageId) =>
            inbound(statusReport(messageId, "delivered"))
          )
        )
      )
    })
  )

const assets = [
  ["/demo/phone", "./phone.html", "text/html; charset=utf-8"],
  ["/demo/phone/phone.js", "./phone.js", "text/javascript; charset=utf-8"],
  ["/demo/phone/phone.css", "./phone.css", "text/css; charset=utf-8"]
] as const

const statusReport = (messageId: number, status: "delivered" | "read") => ({
  type: "message.status",
  data: { messageId, status }
})

/** Sends a body through the inbound route as a provider does. Returns the HTTP status. */
const makeInbound = Effect.fnUntraced(function* ({ botId }: DemoPhoneShape) {
  const client = yield* HttpClient.HttpClient
  const store = yield* InboundStore
  const path = `/kw/api/inbound/${botId}/${PHONE_CHANNEL}`
  return (content: object): Effect.Effect<number> =>
    Effect.gen(function* () {
      const connector = yield* store.findConnector(botId, PHONE_CHANNEL)
      if (connector === undefined) return 401
      const body = JSON.stringify(content)
      const headers = signedHeaders(
        connector.secrets,
        { id: randomUUID(), body },
        yield* Clock.currentTimeMillis
      )
      const request = HttpClientRequest.post(`http://rapport.invalid${path}`).pipe(
        HttpClientRequest.setHeaders({ ...headers, host: "rapport.invalid" }),
        HttpClientRequest.bodyText(body, "application/json")
      )
      return (yield* client.execute(request)).status
    }).pipe(
      Effect.scoped,
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("the demo phone cannot reach the inbound route", error), 503)
      )
    )
})

const showPhone = ({ clientName, phone }: DemoPhoneShape) =>
  Effect.sync(() => HttpServerResponse.jsonUnsafe({ clientName, messages: phone.bubbles }))

const PhoneMessage = Schema.fromJsonString(Schema.Struct({ text: textOf(1, APPEAL_TEXT_POINTS_MAX) }))

const makeMessageHandler = (demo: DemoPhoneShape, inbound: (content: object) => Effect.Effect<number>) => {
  const take = makeMessageLimit()
  return fromOwnPage(
    Effect.fnUntraced(function* (body) {
      const text = Option.getOrUndefined(Schema.decodeUnknownOption(PhoneMessage)(body))?.text.trim() ?? ""
      if (text === "") return HttpServerResponse.empty({ status: 400 })
      const later = take(yield* CurrentAddress, yield* Clock.currentTimeMillis)
      if (later !== null)
        return HttpServerResponse.empty({
          status: 429,
          headers: { "retry-after": String(Math.ceil(later / 1_000)) }
        })
      const externalMessageId = randomUUID()
      const { chatId, clientName, phone } = demo
      const data = { chatId, clientName: shortOf(clientName), text, externalMessageId }
      const status = yield* inbound({ type: "message.received", data })
      if (status === 200) phone.write(text, yield* Clock.currentTimeMillis)
      return HttpServerResponse.empty({ status: status === 200 ? 204 : status })
    })
  )
}

const makeReadHandler = ({ phone }: DemoPhoneShape, inbound: (content: object) => Effect.Effect<number>) =>
  fromOwnPage(() =>
    Effect.as(
      Effect.forEach(phone.read(), (messageId) => inbound(statusReport(messageId, "read")), {
        discard: true
      }),
      HttpServerResponse.empty({ status: 204 })
    )
  )

const shortOf = (name: string): string => (Schema.is(ShortText)(name) ? name : "Client")

const withOwnHost =
  (publicOrigin: string | undefined) =>
  <E, R>(
    answer: (
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
  (request: HttpServerRequest.HttpServerRequest) =>
    isOwnHost(request.headers["host"], publicOrigin)
      ? answer(request)
      : Effect.succeed(
          HttpServerResponse.text("open this page under the address that the start printed", { status: 403 })
        )

/** Another origin needs a preflight to send JSON, and no route answers preflights. */
const fromOwnPage =
  <E, R>(answer: (body: string) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  (request: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      const { headers } = request
      const site = headers["sec-fetch-site"]
      if (headers["content-type"] !== "application/json") return HttpServerResponse.empty({ status: 415 })
      if (site !== undefined && site !== "same-origin" && site !== "none")
        return HttpServerResponse.empty({ status: 403 })
      const body = yield* request.text.pipe(
        withinBytes(BODY_BYTES_MAX),
        Effect.orElseSucceed(() => "")
      )
      return yield* answer(body)
    })
