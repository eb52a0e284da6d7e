// Ports of the connectors, one service for each kind of provider (contract §8).
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import { Context, type Effect } from "effect"
import type { ConnectorTarget, DueDelivery } from "./DeliveryLines.ts"

/**
 * The outcome of an attempt. `reason` is one of contract §8, without address, secret or response body.
 */
export type Attempt =
  /** `providerId` is the provider's id of what was sent, if it gives one. */
  | { readonly _tag: "Sent"; readonly providerId?: number }
  /** A part of a long text was sent, up to `sentUnits` UTF-16 code units. */
  | { readonly _tag: "PartSent"; readonly sentUnits: number; readonly providerId?: number }
  | {
      readonly _tag: "Refused"
      readonly reason: string
      /** The provider's own description; never a secret. */
      readonly description?: string
      /** A retry is useless. */
      readonly isFinal: boolean
      /** The provider's Retry-After. */
      readonly retryAfterMillis?: number
      /** The receiver is busy, so the attempt does not count. `unknown`: the provider does not report what it throttles. */
      readonly throttled?: "chat" | "unknown"
      /** False: the provider was not reached or did not answer in time. */
      readonly hasAnswered: boolean
      /** The provider does not deliver to the identity any longer. */
      readonly unsubscribed?: UnsubscribedReason
    }

/** Sends one delivery once; each request of the attempt ends within RAPPORT_DELIVERY_TIMEOUT_MS. */
interface Connector<Kind extends ConnectorTarget["kind"]> {
  readonly attempt: (
    target: Extract<ConnectorTarget, { readonly kind: Kind }>,
    delivery: DueDelivery
  ) => Effect.Effect<Attempt>
}

export class WebhookConnector extends Context.Service<WebhookConnector, Connector<"webhook">>()(
  "@rapport/core/delivery/WebhookConnector"
) {}

export class TelegramConnector extends Context.Service<TelegramConnector, Connector<"telegram">>()(
  "@rapport/core/delivery/TelegramConnector"
) {}
