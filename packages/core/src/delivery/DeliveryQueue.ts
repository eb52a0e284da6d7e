// Port of the transactional outbox of messages to clients: enqueued with the message, sent by the delivery worker
// (docs/contract.md §8). What an attempt sends is fixed here, so that it is the same in every one.
import { Context } from "effect"
import type { Stored } from "../lists/Stored.ts"

export type DeliveryKind = "call" | "operator" | "broadcast"

interface NewDelivery {
  readonly instanceId: number
  /** A UUIDv7: the delivery id for ever, and the callId of a call. */
  readonly id: string
  readonly kind: DeliveryKind
  readonly botId: number
  readonly channel: string
  readonly chatId: string
  readonly clientId: number
  readonly appealId: number
  readonly messageId: number
  readonly text: string
}

export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /** In the transaction of the message, whose delivery becomes queued; workers are notified after its commit. */
    readonly enqueue: (delivery: NewDelivery) => Stored<void>
  }
>()("@rapport/core/delivery/DeliveryQueue") {}
