// Port of delivery lines: all deliveries of one (bot, channel, chatId), of which the oldest queued one is sent (contract §8).
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import type { Attachment } from "@rapport/contract/files/FilesApi.ts"
import { Context, type Redacted } from "effect"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** The cause of a delivery. `edit` and `delete` change a message that was sent. */
export type DeliveryKind = "call" | "operator" | "broadcast" | "edit" | "delete"

/** A connector of a bot; each has its own share of the worker. */
export interface ConnectorKey {
  readonly instanceId: number
  readonly botId: number
  readonly channel: string
}

export interface LineKey extends ConnectorKey {
  readonly chatId: string
}

/** The address and secrets of a connector. */
export type ConnectorTarget =
  | { readonly kind: "webhook"; readonly url: string; readonly secrets: ReadonlyArray<Redacted.Redacted> }
  | { readonly kind: "telegram"; readonly token: Redacted.Redacted }
  /** No key of this process opens its secret. */
  | { readonly kind: "sealed" }

/** A claimed line, until it is settled; without renewal others may claim it after LEASE_MILLIS. */
export interface LeasedLine extends LineKey {
  /** A UUID; a worker that lost the line cannot settle it. */
  readonly lease: string
}

/** Why a queued message of a broadcast is not sent. */
export const withheldReasons = ["cancelled", "no_identity", "not_subscribed"] as const
export type WithheldReason = (typeof withheldReasons)[number]

/** The oldest delivery of a line; its content is the same in every attempt. */
export interface DueDelivery extends LeasedLine {
  readonly id: string
  readonly kind: DeliveryKind
  readonly clientId: number
  readonly appealId: number
  readonly messageId: number
  readonly text: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Earlier attempts. */
  readonly attempts: number
  /**
   * UTF-16 code units of the text that were sent, if it is sent in parts, and 1 for each file after the text. Of an edit or a deletion:
   * parts of the message that were changed.
   */
  readonly sentUnits: number
  /** Of an edit or a deletion: ids of the provider for the parts of the sent message. */
  readonly providerIds: ReadonlyArray<number>
  /** Why the message must not be sent; null: it may be sent. */
  readonly withheld: WithheldReason | null
  /** Null if the bot or its connector is inactive or cannot send. */
  readonly target: ConnectorTarget | null
}

/** How many lines may be claimed: in total, of each connector and of each instance, with defaults for the rest. */
export interface FreeSlots {
  readonly lines: number
  readonly ofConnector: number
  readonly connectors: ReadonlyArray<ConnectorKey & { readonly free: number }>
  readonly ofInstance: number
  readonly instances: ReadonlyArray<{ readonly instanceId: number; readonly free: number }>
}

/** The result for the oldest delivery of a line. It has no effect if the delivery has left the queue. */
export interface Settlement {
  /** `queued`: the delivery is retried, or its next part is sent. */
  readonly status: "queued" | "sent" | "failed"
  /** False for a part of a text, a busy receiver, an interrupted attempt, and a message that must not be sent. */
  readonly countsAsAttempt: boolean
  /** Why nothing was sent. */
  readonly reason?: string
  readonly description?: string
  /** The wait of a queued delivery. */
  readonly delayMillis?: number
  readonly sentUnits?: number
  readonly providerId?: number
  /** Unsubscribes the identity too. */
  readonly unsubscribed?: UnsubscribedReason
}

export interface SettledLine {
  readonly line: LeasedLine
  /** Null if the line had no queued delivery. */
  readonly deliveryId: string | null
  readonly settlement: Settlement
}

export interface ClaimedLines {
  readonly deliveries: ReadonlyArray<DueDelivery>
  /** Lines that were due without a queued delivery: to be settled as released. */
  readonly empty: ReadonlyArray<LeasedLine>
  /** Milliseconds until the next line is due; undefined if there is none. */
  readonly nextMillis: number | undefined
}

export class DeliveryLines extends Context.Service<
  DeliveryLines,
  {
    /** Claims due lines, round-robin by connector, the longest due first. */
    readonly claim: (free: FreeSlots) => StoreEffect<ClaimedLines>
    /** In one transaction. Lines claimed by another worker are skipped. */
    readonly settle: (settled: ReadonlyArray<SettledLine>) => StoreEffect<void>
    /** Renews the leases of lines in progress. */
    readonly renew: (lines: ReadonlyArray<LeasedLine>) => StoreEffect<void>
  }
>()("@rapport/core/delivery/DeliveryLines") {}
