// Receives verified messages and status reports of providers (contract §8, "Inbound").
import type { InboundAnswer, InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { StateNotAllowed } from "@rapport/contract/Errors.ts"
import { FILE_BYTES_MAX, PROVIDER_AHEAD_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { inboundMessage, WriteCapacity } from "../capacity/WriteCapacity.ts"
import { orUnavailable, SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { Files } from "../files/Files.ts"
import { invalidRequest, unknownRecord } from "../receipts/Writes.ts"
import { InboundStore, type ProviderStatus, type ReceivedMessage } from "./InboundStore.ts"
import { TelegramFiles } from "./TelegramFiles.ts"
import type { TelegramMedia } from "./TelegramMedia.ts"
import { eventIn } from "./TelegramUpdate.ts"

/** Timeout for a file of Telegram, whose server waits a minute for our answer. */
const FILE_MILLIS_MAX = 20_000
/** Age of a message up to which an unavailable file is 503, so that the provider repeats the update. */
const FILE_RETRIED_MILLIS = 600_000

/** StateNotAllowed if the bot or its connector is inactive; after QuotaExceeded the provider retries. */
export class Inbound extends Context.Service<Inbound>()("@rapport/core/delivery/Inbound", {
  make: Effect.gen(function* () {
    const store = yield* InboundStore
    const capacity = yield* WriteCapacity
    const files = yield* Files
    const telegram = yield* TelegramFiles
    const fetched = fetchFile(files, telegram)
    const place = Effect.fn("Inbound.receive")(function* (
      connector: InboundConnector,
      message: ReceivedMessage,
      media?: TelegramMedia
    ) {
      yield* requireActive(connector)
      yield* capacity.pass(connector.instanceId, inboundMessage)
      if (media === undefined) return yield* store.receive(connector, message)
      const known = yield* store.find(connector, message)
      return known ?? (yield* store.receive(connector, yield* fetched(connector, message, media)))
    }, orUnavailable)
    return {
      /** InvalidRequest if the provider's time is too far ahead, or a file is unknown. */
      receive: Effect.fnUntraced(function* (connector: InboundConnector, message: ReceivedMessage) {
        const ahead = (message.occurredAt ?? 0) - (yield* Clock.currentTimeMillis)
        if (ahead > PROVIDER_AHEAD_MILLIS_MAX)
          return yield* invalidRequest([{ path: "timestamp", message: "must be at most 5 minutes ahead" }])
        return (yield* place(connector, message)) ?? (yield* invalidRequest([unknownAttachments]))
      }),
      /** InvalidRequest if the connector never sent the message. */
      report: Effect.fn("Inbound.report")(function* (
        connector: InboundConnector,
        { messageId, status }: { readonly messageId: number; readonly status: ProviderStatus }
      ) {
        const raised = yield* store.raise(connector, messageId, status)
        return raised ?? (yield* invalidRequest([unknownRecord("data.messageId")]))
      }, orUnavailable),
      /** Updates other than texts, files, edits, memberships and moves have no effect. */
      update: Effect.fnUntraced(function* (
        connector: InboundConnector,
        update: Readonly<Record<string, unknown>>
      ) {
        const event = eventIn(update, connector.account)
        if (event?._tag === "Message")
          return (yield* place(connector, event.message, event.media)) ?? (yield* Effect.die(lostFile))
        if (event !== undefined) yield* requireActive(connector)
        if (event?._tag === "Edited") return (yield* store.edit(connector, event.message)) ?? nothing
        if (event?._tag === "Membership")
          yield* store.setSubscription(connector, event.chatId, event.unsubscribedReason)
        if (event?._tag === "Moved") yield* store.moveChat(connector, event.chatId, event.toChatId)
        return nothing
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Inbound, Inbound.make)
}

/** Adds the file to the message, or a line of text if the file is too large or not available. */
const fetchFile = (files: Files["Service"], telegram: TelegramFiles["Service"]) =>
  Effect.fnUntraced(function* (connector: InboundConnector, message: ReceivedMessage, media: TelegramMedia) {
    const { token } = connector
    if (token === null) return noteFileFault(message, "not available", media)
    if (media.bytes > FILE_BYTES_MAX) return noteFileFault(message, "too large", media)
    return yield* telegram.open(token, media.fileId).pipe(
      Effect.flatMap((bytes) => files.receive(connector, media, bytes)),
      Effect.map(({ id }): ReceivedMessage => ({ ...message, attachmentIds: [id] })),
      Effect.timeoutOrElse({
        duration: FILE_MILLIS_MAX,
        orElse: () => Effect.fail("unavailable" as const)
      }),
      Effect.catch(
        Effect.fnUntraced(function* (fault) {
          if (fault === "too_large" || (typeof fault === "object" && fault._tag === "PayloadTooLarge"))
            return noteFileFault(message, "too large", media)
          const age = (yield* Clock.currentTimeMillis) - (message.occurredAt ?? 0)
          if (fault === "missing" || age > FILE_RETRIED_MILLIS)
            return noteFileFault(message, "not available", media)
          return yield* new SourceUnavailable({ source: "files", reason: "file_storage_unavailable" })
        })
      )
    )
  })

const noteFileFault = (
  message: ReceivedMessage,
  fault: string,
  { name }: TelegramMedia
): ReceivedMessage => ({
  ...message,
  text: [message.text, `[file ${fault}: ${name}]`].filter(Boolean).join("\n")
})

const lostFile = new Error("a file that was received is not attachable")
const unknownAttachments = {
  path: "data.attachments",
  message: "must be files that an external token uploaded and that no message has"
}
const nothing: InboundAnswer = { replayed: false, appealId: null, messageId: null }

const requireActive = ({ active }: InboundConnector) =>
  active
    ? Effect.void
    : Effect.fail(new StateNotAllowed({ detail: "the bot or its connector is not active" }))
