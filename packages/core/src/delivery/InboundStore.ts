// Port of inbound messages in the primary database (contract §8, "Inbound").
import type { InboundConnector, MessageStatusReported } from "@rapport/contract/delivery/InboundApi.ts"
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import { Context } from "effect"
import type { StoreEffect } from "../lists/StoreMethods.ts"

export interface ReceivedMessage {
  readonly chatId: string
  /** Name for a new client, of which the beginning counts; null: its chatId is the name. */
  readonly clientName: string | null
  /** Empty for a message that has only files. */
  readonly text: string
  readonly attachmentIds: ReadonlyArray<string>
  readonly externalMessageId: string
  /** Epoch milliseconds by the provider's clock; null, or a time ahead of ours: the time of receipt. */
  readonly occurredAt: number | null
}

export type ProviderStatus = (typeof MessageStatusReported.Type)["data"]["status"]

/** The stored message; `replayed`: it was stored before. */
export interface StoredInboundMessage {
  readonly replayed: boolean
  readonly appealId: number
  readonly messageId: number
}

export class InboundStore extends Context.Service<
  InboundStore,
  {
    readonly findConnector: (botId: number, channel: string) => StoreEffect<InboundConnector | undefined>
    /** The message if it was stored before. */
    readonly find: (
      connector: InboundConnector,
      message: ReceivedMessage
    ) => StoreEffect<StoredInboundMessage | undefined>
    /**
     * Creates client, chat and message in one transaction; concurrent calls with one external id have one effect. Undefined if
     * the connector may not send one of the files.
     */
    readonly receive: (
      connector: InboundConnector,
      message: ReceivedMessage
    ) => StoreEffect<StoredInboundMessage | undefined>
    /** Gives a received message its new text; undefined if there is none. `replayed`: the text is the same, or the message deleted. */
    readonly edit: (
      connector: InboundConnector,
      message: ReceivedMessage
    ) => StoreEffect<StoredInboundMessage | undefined>
    /** Unsubscribes an identity, or subscribes one that its provider unsubscribed (null). */
    readonly setSubscription: (
      connector: InboundConnector,
      chatId: string,
      reason: UnsubscribedReason | null
    ) => StoreEffect<void>
    /** Gives identity and open chats the new chatId, unless another identity has it. */
    readonly moveChat: (connector: InboundConnector, chatId: string, toChatId: string) => StoreEffect<void>
    /** Undefined if the connector never sent the message; `replayed`: the status did not rise. */
    readonly raise: (
      connector: InboundConnector,
      messageId: number,
      status: ProviderStatus
    ) => StoreEffect<StoredInboundMessage | undefined>
  }
>()("@rapport/core/delivery/InboundStore") {}
