// Port of what providers send, in the primary database (contract §8, "Inbound").
import type { InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { Context } from "effect"
import type { Delivered } from "./DeliveryStatus.ts"
import type { Stored } from "../lists/Stored.ts"

export interface ReceivedMessage {
  readonly chatId: string
  /** Of a client that is made now; null: the chatId takes its place. */
  readonly clientName: string | null
  readonly text: string
  readonly externalMessageId: string
}

/** Where a message is; `replayed`: it was there before. */
export interface Placed {
  readonly replayed: boolean
  readonly appealId: number
  readonly messageId: number
}

export class InboundStore extends Context.Service<
  InboundStore,
  {
    readonly findConnector: (botId: number, channel: string) => Stored<InboundConnector | undefined>
    /** Client, chat and message in one transaction, once by the external id, however many come at once. */
    readonly receive: (connector: InboundConnector, message: ReceivedMessage) => Stored<Placed>
    /** Undefined where the connector never sent that message; `replayed`: the status did not rise. */
    readonly raise: (
      connector: InboundConnector,
      messageId: number,
      status: Delivered
    ) => Stored<Placed | undefined>
  }
>()("@rapport/core/delivery/InboundStore") {}
