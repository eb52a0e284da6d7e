// The connector `telegram`: sends one part of a message in each attempt with sendMessage (contract §8).
// The URL contains the token, so no fault, span or log may contain the URL.
import { type Attempt, TelegramConnector } from "@rapport/core/delivery/Connector.ts"
import { type TelegramPart, telegramPart } from "@rapport/core/delivery/TelegramParts.ts"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { makeOutgoingHttp, type OutgoingAnswer } from "./OutgoingHttp.ts"

/** Code points of the stored failure description. */
const DESCRIPTION_POINTS_MAX = 300

export interface TelegramSettings {
  /** Without a trailing slash. The operator of the service sets it, so it may be private. */
  readonly apiUrl: string
  readonly timeoutMillis: number
}

export const layer = ({ apiUrl, timeoutMillis }: TelegramSettings): Layer.Layer<TelegramConnector> =>
  Layer.effect(
    TelegramConnector,
    Effect.gen(function* () {
      const outgoing = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis })
      return TelegramConnector.of({
        attempt: ({ token }, { chatId, goneUnits, text: whole }) => {
          const part = telegramPart(whole, goneUnits)
          // `URL.parse` instead of the constructor, whose error message contains the token.
          const url = URL.parse(`${apiUrl}/bot${pathOf(token)}/sendMessage`)
          if (url === null) return Effect.succeed(unaddressed)
          return outgoing
            .post({
              url,
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ chat_id: chatId, text: part.text })
            })
            .pipe(
              Effect.map((answer) => attemptOf(answer, part, token)),
              Effect.catch((reason) =>
                Effect.succeed<Attempt>({ _tag: "Refused", reason, isFinal: false, hasAnswered: false })
              )
            )
        }
      })
    })
  )

const unaddressed: Attempt = {
  _tag: "Refused",
  reason: "address_not_allowed",
  isFinal: false,
  hasAnswered: true
}

/** Encodes everything except the colon, so that a token cannot change the path. */
const pathOf = (token: Redacted.Redacted): string =>
  encodeURIComponent(Redacted.value(token)).replace("%3A", ":")

/** 400: wrong message or chat; 403: the client blocked the bot. A retry cannot help. */
const attemptOf = (
  { body, status }: OutgoingAnswer,
  { endsAt, isLast }: TelegramPart,
  token: Redacted.Redacted
): Attempt => {
  if (status >= 200 && status < 300)
    return isLast ? { _tag: "Sent" } : { _tag: "PartSent", goneUnits: endsAt }
  const retrySeconds = Option.getOrUndefined(decodeRetry(body))?.parameters.retry_after
  const description = Option.getOrUndefined(decodeDescription(body))?.description
  return {
    _tag: "Refused",
    reason: `telegram_${status}`,
    ...(description === undefined ? {} : { description: shownOf(description, token) }),
    isFinal: status === 400 || status === 403,
    ...(retrySeconds === undefined ? {} : { retryAfterMillis: retrySeconds * 1_000 }),
    // The limit of a chat and that of all chats have the same answer.
    ...(status === 429 || retrySeconds !== undefined ? { throttled: "unknown" as const } : {}),
    hasAnswered: true
  }
}

const decodeDescription = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ description: Schema.String }))
)

/** One line without the token, which a server may repeat with the URL. */
const shownOf = (description: string, token: Redacted.Redacted): string =>
  [
    ...description
      .toWellFormed()
      .replaceAll(Redacted.value(token), "…")
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
  ]
    .slice(0, DESCRIPTION_POINTS_MAX)
    .join("")

const decodeRetry = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      parameters: Schema.Struct({ retry_after: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)) })
    })
  )
)
