// The connector `telegram`: sends one part of a message in each attempt with sendMessage (contract §8).
// The URL contains the token, so no fault, span or log may contain the URL.
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
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
          const sendTo = (id: string) =>
            outgoing.post({
              url,
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ chat_id: id, text: part.text })
            })
          return sendTo(chatId).pipe(
            // A message that was queued before its group became a supergroup.
            Effect.flatMap((answer) => {
              const movedTo = Option.getOrUndefined(decodeMove(answer.body))?.parameters.migrate_to_chat_id
              return movedTo === undefined ? Effect.succeed(answer) : sendTo(String(movedTo))
            }),
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
  const unsubscribed = status === 403 ? unsubscribedBy(description ?? "") : undefined
  return {
    _tag: "Refused",
    reason: `telegram_${status}`,
    ...(description === undefined ? {} : { description: shownOf(description, token) }),
    isFinal: status === 400 || status === 403,
    ...(unsubscribed === undefined ? {} : { unsubscribed }),
    ...(retrySeconds === undefined ? {} : { retryAfterMillis: retrySeconds * 1_000 }),
    // The limit of a chat and that of all chats have the same answer.
    ...(status === 429 || retrySeconds !== undefined ? { throttled: "unknown" as const } : {}),
    hasAnswered: true
  }
}

/** Only the description distinguishes the causes of a 403. */
const unsubscribedBy = (description: string): UnsubscribedReason | undefined => {
  if (/user is deactivated/u.test(description)) return "deactivated"
  if (/blocked by the user|can't initiate conversation/u.test(description)) return "blocked"
  return /was kicked|is not a member/u.test(description) ? "removed" : undefined
}

const decodeMove = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      ok: Schema.Literal(false),
      parameters: Schema.Struct({ migrate_to_chat_id: Schema.Int })
    })
  )
)

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
