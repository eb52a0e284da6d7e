// The delivery worker of this process with its connectors (contract §8).
import { deliveryWorkerLayer } from "@rapport/core/delivery/DeliveryWorker.ts"
import { Effect, Layer } from "effect"
import type { Settings } from "../Config.ts"
import { DemoPhone } from "../demo/DemoPhone.ts"
import * as TelegramConnector from "../delivery/TelegramConnector.ts"
import * as WebhookConnector from "../delivery/WebhookConnector.ts"
import * as DeliveryLinesPostgres from "../postgres/delivery/DeliveryLinesPostgres.ts"

/** Needs a migrated database. */
export const deliveryLayer = ({
  delivery,
  telegramApiUrl,
  webhookAllowPrivate
}: Pick<Settings, "delivery" | "telegramApiUrl" | "webhookAllowPrivate">) =>
  Layer.unwrap(
    Effect.map(DemoPhone, (demo) =>
      deliveryWorkerLayer(delivery).pipe(
        Layer.provide([
          DeliveryLinesPostgres.layer,
          WebhookConnector.layer({
            allowPrivate: webhookAllowPrivate,
            timeoutMillis: delivery.timeoutMillis,
            ownReceiver: demo?.receiverUrl
          }),
          TelegramConnector.layer({ apiUrl: telegramApiUrl, timeoutMillis: delivery.timeoutMillis })
        ])
      )
    )
  )
