// Messages of providers over HTTP: the kind of the connector decides how a body is decoded (contract §8, "Inbound").
import { Api } from "@rapport/contract/Api.ts"
import {
  CurrentConnector,
  MessageReceived,
  MessageStatusReported
} from "@rapport/contract/delivery/InboundApi.ts"
import { type InvalidRequest, Unauthenticated } from "@rapport/contract/Errors.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { isVisibleText } from "@rapport/contract/values/Checks.ts"
import { Inbound } from "@rapport/core/delivery/Inbound.ts"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { invalidRequest, ofShape } from "../middleware/SchemaErrors.ts"

type Body = Readonly<Record<string, unknown>>

export const inboundLayer = HttpApiBuilder.group(
  Api,
  "inbound",
  Effect.fnUntraced(function* (handlers) {
    const inbound = yield* Inbound
    return handlers.handleAll({
      receiveInbound: ({ payload }) =>
        Effect.gen(function* () {
          const connector = yield* CurrentConnector
          if (connector === null) return yield* new Unauthenticated()
          if (connector.kind === "telegram") {
            yield* requireId(payload)
            return yield* inbound.update(connector, payload)
          }
          if (payload["type"] === "message.status")
            return yield* inbound.report(connector, (yield* decodeBody(MessageStatusReported, payload)).data)
          if (payload["type"] !== "message.received") return yield* unknownType
          const { data, timestamp } = yield* decodeBody(MessageReceived, payload)
          const { attachments = [], chatId, clientName, externalMessageId, text = "" } = data
          return yield* inbound.receive(connector, {
            chatId,
            clientName: clientName !== undefined && isVisibleText(clientName) ? clientName : null,
            externalMessageId,
            occurredAt: timestamp ?? null,
            text,
            attachmentIds: attachments
          })
        })
    })
  })
)

const unknownType = Effect.suspend(() =>
  Effect.fail(
    invalidRequest([ofShape({ path: "type", message: "must be one of message.received, message.status" })])
  )
)

/** An update of Telegram needs an id; its other members are not validated. */
const requireId = (payload: Body): Effect.Effect<void, InvalidRequest> =>
  Number.isSafeInteger(payload["update_id"])
    ? Effect.void
    : Effect.fail(invalidRequest([ofShape({ path: "update_id", message: "must be an integer" })]))

/** Reports all schema errors in one answer. */
const decodeBody = <A>(schema: Schema.Codec<A, unknown>, payload: Body): Effect.Effect<A, InvalidRequest> =>
  Effect.suspend(() => {
    const faults = collectFaults(schema, payload)
    return faults.length > 0
      ? Effect.fail(invalidRequest(faults))
      : Effect.orDie(Schema.decodeUnknownEffect(schema)(payload))
  })
