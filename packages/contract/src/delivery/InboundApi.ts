// Requests of providers: messages of clients and statuses of our messages (contract §8, "Inbound").
import { Context, type Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { attachmentIds, contentRules } from "../appeals/Appeal.ts"
import { AppealText } from "../appeals/AppealsApi.ts"
import { operation } from "../documents/Operation.ts"
import { QuotaExceeded, RateLimited, SearchUnavailable, StateNotAllowed, Unauthenticated } from "../Errors.ts"
import { SHORT_TEXT_POINTS_MAX } from "../Limits.ts"
import { normalTextOf, withRules } from "../values/Checks.ts"
import { deliveredStatuses } from "../scenarios/Call.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { AnyObject, ExternalId, shortTextLike } from "../values/Members.ts"
import { Time } from "../values/Time.ts"
import { withChecks } from "../http/WithSession.ts"

/** A message of a client, sent at `timestamp`. A repeated externalMessageId of a chat is the same message, whatever its content. */
export const MessageReceived = Schema.Struct({
  type: Schema.Literal("message.received"),
  timestamp: Schema.optionalKey(Time),
  data: Schema.Struct({
    chatId: ExternalId,
    clientName: Schema.optionalKey(normalTextOf(1, SHORT_TEXT_POINTS_MAX)),
    text: Schema.optionalKey(AppealText),
    attachments: Schema.optionalKey(
      attachmentIds("Ids of files that an external token of the instance uploaded")
    ),
    externalMessageId: ExternalId
  }).pipe(withRules(contentRules))
}).annotate({ title: "MessageReceived" })

/** The status of one of our messages. A status that is not higher changes nothing. */
export const MessageStatusReported = Schema.Struct({
  type: Schema.Literal("message.status"),
  timestamp: Schema.optionalKey(Schema.String),
  data: Schema.Struct({
    messageId: PositiveInt,
    status: Schema.Literals(deliveredStatuses)
  })
}).annotate({ title: "MessageStatusReported" })

/** Ids are null for an update of Telegram that contains no message with a text or a file. */
export const InboundAnswer = Schema.Struct({
  replayed: Schema.Boolean,
  appealId: Schema.NullOr(PositiveInt),
  messageId: Schema.NullOr(PositiveInt)
}).annotate({ identifier: "InboundAnswer" })
export type InboundAnswer = typeof InboundAnswer.Type

/** The authenticated connector of the request. */
export interface InboundConnector {
  readonly instanceId: number
  readonly botId: number
  readonly channel: string
  readonly kind: "webhook" | "telegram"
  /** All that are valid. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Of a telegram connector. */
  readonly token: Redacted.Redacted | null
  /** Telegram's id of the bot of its token; null if it has none. Messages of another bot have other ids. */
  readonly account: string | null
  /** False if the bot or the connector is not active. */
  readonly active: boolean
}

/** Null if the body cannot be read, so that its signature cannot be checked. */
export class CurrentConnector extends Context.Service<CurrentConnector, InboundConnector | null>()(
  "rapport/CurrentConnector"
) {}

/** Checks the signature (401) before the body is decoded. */
export class InboundSignature extends HttpApiMiddleware.Service<
  InboundSignature,
  { provides: CurrentConnector }
>()("rapport/InboundSignature", { error: [Unauthenticated, RateLimited, SearchUnavailable] }) {}

const inline = (schema: Schema.Constraint) =>
  Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema

const update = {
  title: "TelegramUpdate",
  type: "object",
  description: "An Update of the Bot API, for a telegram connector",
  required: ["update_id"],
  properties: { update_id: { type: "integer" } },
  additionalProperties: true
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" }
})

/** The kind of the connector decides on the body. The document shows all kinds. */
const withBodies = OpenApi.annotations({
  transform: (spec) => ({
    ...spec,
    parameters: [
      ...(Array.isArray(spec["parameters"]) ? spec["parameters"] : []),
      header("webhook-id", "Standard Webhooks: the id of this message"),
      header("webhook-timestamp", "Standard Webhooks: seconds, within five minutes of now"),
      header("webhook-signature", "Standard Webhooks: v1, and base64 of HMAC-SHA256"),
      header("x-telegram-bot-api-secret-token", "Telegram: the secret of the connector")
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            title: "InboundRequest",
            anyOf: [inline(MessageReceived), inline(MessageStatusReported), update]
          },
          example: {
            type: "message.received",
            timestamp: "2026-10-05T10:00:00.000Z",
            data: { chatId: "77", clientName: "Олена", text: "Добрий день!", externalMessageId: "m-1" }
          }
        }
      }
    }
  })
})

export class InboundApi extends HttpApiGroup.make("inbound")
  .add(
    HttpApiEndpoint.post("receiveInbound", "/kw/api/inbound/:botId/:channel", {
      params: { botId: pathId(1), channel: shortTextLike("web") },
      payload: AnyObject,
      success: InboundAnswer,
      error: [Unauthenticated, StateNotAllowed, QuotaExceeded, SearchUnavailable]
    })
      .pipe(
        operation(
          "Receive a message or status from a provider",
          "Without a token: a webhook is signed with the connector's secret (Standard Webhooks), Telegram sends the secret in a header. message.received creates client, chat and message once. message.status only rises. An update of Telegram is a message with a text or a file, a membership of the bot or a move of a group; others have no effect."
        )
      )
      .annotateMerge(withBodies)
  )
  .pipe(withChecks("Inbound", "For providers of channels."))
  .middleware(InboundSignature) {}
