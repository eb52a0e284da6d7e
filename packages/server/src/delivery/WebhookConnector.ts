// The connector `webhook`: a signed POST to the URL of the connector (contract §8).
import { FILE_LINK_SECONDS } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type Attempt, WebhookConnector } from "@rapport/core/delivery/Connector.ts"
import type { DeliveryKind, DueDelivery } from "@rapport/core/delivery/DeliveryLines.ts"
import { FileLinks } from "@rapport/core/files/FileLinks.ts"
import { retryAfterOf } from "@rapport/core/delivery/RetryPolicy.ts"
import { webhookUrlFault } from "@rapport/core/delivery/WebhookUrl.ts"
import { Clock, Effect, Layer } from "effect"
import { attemptAfter, makeOutgoingHttp, type OutgoingAnswer, type OutgoingSettings } from "./OutgoingHttp.ts"
import { signedHeaders } from "./WebhookSignature.ts"

export interface WebhookSettings extends OutgoingSettings {
  /** The receiver of this process in a demo, which is allowed although its address is private. */
  readonly ownReceiver?: string | undefined
}

export const layer = (settings: WebhookSettings): Layer.Layer<WebhookConnector, never, FileLinks> =>
  Layer.effect(
    WebhookConnector,
    Effect.gen(function* () {
      const links = yield* FileLinks
      const toOthers = yield* makeOutgoingHttp(settings)
      const toOwn = yield* makeOutgoingHttp({ ...settings, allowPrivate: true })
      return WebhookConnector.of({
        attempt: Effect.fnUntraced(function* ({ secrets, url }, delivery) {
          const target = URL.parse(url)
          const isOwn = url === settings.ownReceiver
          // Validates again, because the settings may have changed since the URL was stored.
          if (target === null || webhookUrlFault(target.href, isOwn || settings.allowPrivate) !== undefined)
            return attemptAfter("address_not_allowed")
          const outgoing = isOwn ? toOwn : toOthers
          const body = bodyOf(links, delivery)
          const now = yield* Clock.currentTimeMillis
          return yield* outgoing
            .post({
              url: target,
              headers: {
                "content-type": "application/json",
                "user-agent": "Rapport",
                ...signedHeaders(secrets, { id: delivery.id, body }, now)
              },
              body
            })
            .pipe(
              Effect.flatMap((answer) => Effect.map(Clock.currentTimeMillis, (at) => attemptOf(answer, at))),
              Effect.catch((fault) => Effect.succeed(attemptAfter(fault)))
            )
        })
      })
    })
  )

const typeOf = (kind: DeliveryKind) => {
  if (kind === "edit") return "message.edited"
  return kind === "delete" ? "message.deleted" : "message.send"
}

/** The same in every attempt. */
const bodyOf = ({ urlOf }: FileLinks["Service"], delivery: DueDelivery): string =>
  JSON.stringify({
    type: typeOf(delivery.kind),
    timestamp: isoOf(delivery.createdAt),
    data: {
      callId: delivery.kind === "call" ? delivery.id : null,
      botId: delivery.botId,
      channel: delivery.channel,
      chatId: delivery.chatId,
      clientId: delivery.clientId,
      appealId: delivery.appealId,
      messageId: delivery.messageId,
      ...(delivery.kind === "delete" ? {} : contentOf(urlOf, delivery))
    }
  })

const contentOf = (urlOf: FileLinks["Service"]["urlOf"], delivery: DueDelivery) => ({
  text: delivery.text,
  attachments: delivery.attachments.map((file) => ({
    ...file,
    url: urlOf(
      { instanceId: delivery.instanceId, id: file.id },
      Math.floor(delivery.createdAt / 1_000) + FILE_LINK_SECONDS
    )
  }))
})

/** 410: the receiver is removed. */
const attemptOf = ({ retryAfter, status }: OutgoingAnswer, now: number): Attempt => {
  if (status >= 200 && status < 300) return { _tag: "Sent" }
  const retryAfterMillis = retryAfterOf(retryAfter, now)
  return {
    _tag: "Refused",
    reason: `http_${status}`,
    isFinal: status === 410,
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }),
    ...(status === 429 || retryAfterMillis !== undefined ? { throttled: "chat" as const } : {}),
    hasAnswered: true
  }
}
