// The delivery worker of this process with its connectors (contract §8).
import type { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { DeliveryWorker } from "@rapport/core/delivery/DeliveryWorker.ts"
import type { FileLinks } from "@rapport/core/files/FileLinks.ts"
import type { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
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
}: Pick<Settings, "delivery" | "telegramApiUrl" | "webhookAllowPrivate">): Layer.Layer<
  DeliveryWorker,
  never,
  DeliverySignal | FileLinks | FileStorage | SqlClient.SqlClient
> =>
  Layer.unwrap(
    Effect.map(DemoPhone, (demo) =>
      DeliveryWorker.layer(delivery).pipe(
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
