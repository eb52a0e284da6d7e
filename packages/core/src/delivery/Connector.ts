// The connectors of channels: each knows how one kind of provider is spoken to (contract §8). A new kind is a new
// service here and its layer.
import { Context, type Effect } from "effect"
import type { ConnectorTarget, DueDelivery } from "./DeliveryLines.ts"

/**
 * How an attempt ended. `reason` is one of those of contract §8, and holds nothing of the address, the secret or the answer's
 * body.
 */
export type Attempt =
  | { readonly _tag: "Sent" }
  /** A part of a long text was taken; `goneUnits` of it have gone, in UTF-16 code units. */
  | { readonly _tag: "PartSent"; readonly goneUnits: number }
  | {
      readonly _tag: "Refused"
      readonly reason: string
      /** What the provider says of it in its own words; never a secret. */
      readonly description?: string
      /** Trying again is of no use. */
      readonly isFinal: boolean
      /** What the provider asked for. */
      readonly retryAfterMillis?: number
      /** The provider is overrun by this connector as a whole. */
      readonly isThrottled?: boolean
      /** The provider answered; else it was not reached, or not in time. */
      readonly hasAnswered: boolean
    }

/** Sends one delivery once; the whole attempt ends within RAPPORT_DELIVERY_TIMEOUT_MS. */
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
