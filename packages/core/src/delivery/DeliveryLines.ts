// Port of the lines of messages that wait to leave (contract §8). A line is all messages of one (bot, channel, chatId):
// it is claimed as a whole, and its oldest queued delivery is the one that is tried.
import { Context, type Redacted } from "effect"
import type { Stored } from "../lists/Stored.ts"

/** The cause of a delivery. */
export type DeliveryKind = "call" | "operator" | "broadcast"

/** One connector of a bot: what has a share of the worker of its own. */
export interface ConnectorKey {
  readonly instanceId: number
  readonly botId: number
  readonly channel: string
}

interface LineKey extends ConnectorKey {
  readonly chatId: string
}

/** Where a connector sends to, and how it proves who it is. */
export type ConnectorTarget =
  | { readonly kind: "webhook"; readonly url: string; readonly secret: Redacted.Redacted }
  | { readonly kind: "telegram"; readonly token: Redacted.Redacted }
  /** No key that this process has opens its secret: another may, or a later start. */
  | { readonly kind: "sealed" }

/** A line that is held until it is settled; without renewal others may claim it after LEASE_MILLIS. */
export interface LeasedLine extends LineKey {
  /** A UUID: who lost the line changes nothing of it. */
  readonly lease: string
}

/** Why a message of a broadcast is not sent although it is queued. */
export const withheldReasons = ["no_identity", "not_subscribed"] as const
export type WithheldReason = (typeof withheldReasons)[number]

/** The head of a line. All that a body is made of is the same in every attempt. */
export interface DueDelivery extends LeasedLine {
  readonly id: string
  readonly kind: DeliveryKind
  readonly clientId: number
  readonly appealId: number
  readonly messageId: number
  readonly text: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Attempts that were made before this one. */
  readonly attempts: number
  /** UTF-16 code units of the text that the provider has taken: of one that goes in parts. */
  readonly goneUnits: number
  /** Why the message must not be sent; null where it may be. */
  readonly withheld: WithheldReason | null
  /** Null where the bot or its connector is not active, or cannot send. */
  readonly target: ConnectorTarget | null
}

/** How many lines may be claimed: of all, of each connector, and of each instance; those not named have the default. */
export interface Free {
  readonly lines: number
  readonly ofConnector: number
  readonly connectors: ReadonlyArray<ConnectorKey & { readonly free: number }>
  readonly ofInstance: number
  readonly instances: ReadonlyArray<{ readonly instanceId: number; readonly free: number }>
}

/** What became of the head of a line. A head that has left the queue meanwhile keeps its status. */
export type Settlement =
  | { readonly _tag: "Sent" }
  /** A part of its text was taken: the next one follows, which counts as no attempt. */
  | { readonly _tag: "Advanced"; readonly goneUnits: number; readonly delayMillis: number }
  | { readonly _tag: "Failed"; readonly reason: string; readonly description?: string }
  /** It is never tried: the delivery fails, and the recipient of the broadcast is skipped. */
  | { readonly _tag: "Skipped"; readonly reason: WithheldReason }
  | {
      readonly _tag: "Retry"
      readonly reason: string
      readonly description?: string
      readonly delayMillis: number
    }
  /** It was not tried to the end, which counts as no attempt. */
  | { readonly _tag: "Released" }

export interface Settled {
  readonly line: LeasedLine
  /** Null where the line had no queued delivery. */
  readonly deliveryId: string | null
  readonly settlement: Settlement
}

export interface Claimed {
  readonly deliveries: ReadonlyArray<DueDelivery>
  /** Lines that were due and held nothing: to be settled as released. */
  readonly empty: ReadonlyArray<LeasedLine>
  /** Milliseconds until the next line is due that is not due yet; undefined where there is none. */
  readonly nextMillis: number | undefined
}

export class DeliveryLines extends Context.Service<
  DeliveryLines,
  {
    /** Claims due lines: a first one of every connector before the second of any, the longest due first. */
    readonly claim: (free: Free) => Stored<Claimed>
    /** In one transaction. A line whose lease is another's is passed by. */
    readonly settle: (settled: ReadonlyArray<Settled>) => Stored<void>
    /** Keeps lines that are still worked on. */
    readonly renew: (lines: ReadonlyArray<LeasedLine>) => Stored<void>
  }
>()("@rapport/core/delivery/DeliveryLines") {}
