// The connector `telegram`: sends one part of a message in each attempt with sendMessage (contract §8).
// The URL contains the token, so no fault, span or log may contain the URL.
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import type { Attachment } from "@rapport/contract/files/FilesApi.ts"
import { type Attempt, TelegramConnector } from "@rapport/core/delivery/Connector.ts"
import type { DueDelivery } from "@rapport/core/delivery/DeliveryLines.ts"
import { telegramChange } from "@rapport/core/delivery/TelegramChange.ts"
import { type TelegramFile, telegramFile, telegramPart } from "@rapport/core/delivery/TelegramParts.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import {
  attemptAfter,
  makeOutgoingHttp,
  type OutgoingAnswer,
  type OutgoingHttp,
  type OutgoingRequest
} from "./OutgoingHttp.ts"

/** Code points of the stored failure description. */
const DESCRIPTION_POINTS_MAX = 300

export interface TelegramSettings {
  /** Without a trailing slash. The operator of the service sets it, so it may be private. */
  readonly apiUrl: string
  readonly timeoutMillis: number
}

/** A file takes longer than a text. */
const FILE_MILLIS_MAX = 60_000

export const layer = ({
  apiUrl,
  timeoutMillis
}: TelegramSettings): Layer.Layer<TelegramConnector, never, FileStorage> =>
  Layer.effect(
    TelegramConnector,
    Effect.gen(function* () {
      const storage = yield* FileStorage
      const texts = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis })
      const files = yield* makeOutgoingHttp({
        allowPrivate: true,
        timeoutMillis: Math.max(timeoutMillis, FILE_MILLIS_MAX)
      })
      return TelegramConnector.of({
        attempt: ({ token }, delivery) => {
          const send = makeSend(apiUrl, token, delivery.chatId)
          if (delivery.kind === "edit" || delivery.kind === "delete") {
            const part = changePart(delivery)
            return "_tag" in part ? Effect.succeed(part) : send(texts, part)
          }
          const file = telegramFile(delivery.text, delivery.attachments, delivery.sentUnits)
          return file === undefined
            ? send(texts, textPart(delivery))
            : send(files, filePart(storage, delivery.instanceId, file))
        }
      })
    })
  )

type Sent = Exclude<Attempt, { readonly _tag: "Refused" }>
type Body = Pick<OutgoingRequest, "body" | "headers">

/** One request of the Bot API. */
interface Part {
  readonly method: string
  readonly bodyFor: (chatId: string) => Body
  readonly sent: Sent
  /** A refusal with such a description has the effect of a success. */
  readonly passed?: RegExp
}

const makeSend =
  (apiUrl: string, token: Redacted.Redacted, chatId: string) =>
  (outgoing: OutgoingHttp, part: Part): Effect.Effect<Attempt> => {
    // `URL.parse` instead of the constructor, whose error message contains the token.
    const url = URL.parse(`${apiUrl}/bot${pathOf(token)}/${part.method}`)
    if (url === null) return Effect.succeed(attemptAfter("address_not_allowed"))
    const sendTo = (id: string) => outgoing.post({ url, ...part.bodyFor(id) })
    return sendTo(chatId).pipe(
      // A message that was queued before its group became a supergroup.
      Effect.flatMap((answer) => {
        const movedTo = Option.getOrUndefined(decodeRefusal(answer.body))?.parameters?.migrate_to_chat_id
        return movedTo === undefined ? Effect.succeed(answer) : sendTo(String(movedTo))
      }),
      Effect.map((answer) => attemptOf(answer, part, token)),
      Effect.catch((fault) => Effect.succeed(attemptAfter(fault)))
    )
  }

const textPart = ({ attachments, sentUnits, text: whole }: DueDelivery): Part => {
  const { endsAt, isLast, text } = telegramPart(whole, sentUnits)
  return {
    method: "sendMessage",
    sent: isLast && attachments.length === 0 ? { _tag: "Sent" } : { _tag: "PartSent", sentUnits: endsAt },
    bodyFor: (id) => jsonBody({ chat_id: id, text })
  }
}

const jsonBody = (content: object): Body => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(content)
})

/** If Telegram no longer has a part, the other parts are still changed. */
const changePart = (delivery: DueDelivery): Part | Attempt => {
  const change = telegramChange(delivery)
  if (typeof change === "string") return { _tag: "Refused", reason: change, isFinal: true, hasAnswered: true }
  const { body, isLast, method } = change
  return {
    method,
    sent: isLast ? { _tag: "Sent" } : { _tag: "PartSent", sentUnits: delivery.sentUnits + 1 },
    passed: isLast ? /is not modified/u : /is not modified|not found|can't be/u,
    bodyFor: (id) => jsonBody({ chat_id: id, ...body })
  }
}

const filePart = (
  storage: FileStorage["Service"],
  instanceId: number,
  { caption, file, sentUnits, isLast }: TelegramFile
): Part => {
  const content = storage.read({ instanceId, id: file.id }, { first: 0, last: file.bytes - 1 }).pipe(
    Effect.mapError(() => "file_unavailable" as const),
    Effect.flatMap((found) =>
      found === undefined ? Effect.fail("file_missing" as const) : Effect.succeed(found)
    ),
    Effect.map(Stream.mapError(() => "file_unavailable" as const))
  )
  const { field, method } = methodOf(file)
  const fields = caption === "" ? {} : { caption }
  return {
    method,
    sent: isLast ? { _tag: "Sent" } : { _tag: "PartSent", sentUnits },
    bodyFor: (id: string) => multipartOf({ chat_id: id, ...fields }, field, file, content)
  }
}

/** Bytes of a photo of the Bot API. */
const PHOTO_BYTES_MAX = 10_000_000

/** Other media types are shown by Telegram only as documents. */
const methodOf = ({ bytes, mediaType }: Attachment) => {
  if (/^image\/(?:jpeg|png)$/u.test(mediaType) && bytes <= PHOTO_BYTES_MAX)
    return { method: "sendPhoto", field: "photo" }
  if (mediaType === "video/mp4") return { method: "sendVideo", field: "video" }
  if (mediaType === "audio/ogg") return { method: "sendVoice", field: "voice" }
  return { method: "sendDocument", field: "document" }
}

/** RFC 7578: the sign that ends a quoted name is the only one to encode, because names have no line ends. */
const multipartOf = (
  fields: Readonly<Record<string, string>>,
  field: string,
  { bytes, mediaType, name }: Attachment,
  content: Effect.Effect<Stream.Stream<Uint8Array, "file_unavailable">, "file_missing" | "file_unavailable">
): Body => {
  const boundary = randomUUID()
  const texts = Object.entries(fields).map(
    ([key, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
  )
  const fileHeader = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${name.replaceAll('"', "%22")}"\r\ncontent-type: ${mediaType}\r\n\r\n`
  const head = Buffer.from(texts.join("") + fileHeader)
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: {
      byteLength: head.byteLength + bytes + tail.byteLength,
      bytes: Stream.unwrap(
        Effect.map(content, (read) =>
          Stream.make(head).pipe(Stream.concat(read), Stream.concat(Stream.make(tail)))
        )
      )
    }
  }
}

/** Encodes everything except the colon, so that a token cannot change the path. */
export const pathOf = (token: Redacted.Redacted): string =>
  encodeURIComponent(Redacted.value(token)).replace("%3A", ":")

/** 400: wrong message or chat; 403: the client blocked the bot. A retry cannot help. */
const attemptOf = (
  { body, status }: OutgoingAnswer,
  { passed, sent }: Part,
  token: Redacted.Redacted
): Attempt => {
  if (status >= 200 && status < 300) {
    const providerId = Option.getOrUndefined(decodeSentId(body))?.result.message_id
    return providerId === undefined ? sent : { ...sent, providerId }
  }
  const refusal = Option.getOrUndefined(decodeRefusal(body))
  const description = refusal?.description
  const retrySeconds = refusal?.parameters?.retry_after
  if (status === 400 && passed?.test(description ?? "") === true) return sent
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

const decodeSentId = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ result: Schema.Struct({ message_id: Schema.Int }) }))
)

const decodeRefusal = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      description: Schema.optionalKey(Schema.String),
      parameters: Schema.optionalKey(
        Schema.Struct({
          migrate_to_chat_id: Schema.optionalKey(Schema.Int),
          retry_after: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))
        })
      )
    })
  )
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
