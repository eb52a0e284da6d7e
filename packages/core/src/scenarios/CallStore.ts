// Port of calls in the primary database (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import type { Call, CallAccepted } from "@rapport/contract/scenarios/Call.ts"
import { Context } from "effect"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite, ReplayedWrite } from "../receipts/WriteOutcomes.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** `chatId` is the id of a client's identity in the channel. */
export interface CallTarget {
  readonly botId: number
  readonly node: { readonly id: number } | { readonly alias: string }
  readonly channel: string
  readonly chatId: string
}

/** The template and the newest open chat of (bot, channel, chatId). */
export interface CalledNode {
  readonly nodeId: number
  readonly template: string | null
  readonly openChatId: number | null
}

export interface CallWrite {
  readonly target: CallTarget
  /** Undefined if `findNode` found none. */
  readonly node: CalledNode | undefined
  /** Null if the variables make no text. */
  readonly text: string | null
  readonly answer: CallAccepted
  readonly prepared: PreparedWrite
}

/** In the order of the checks. */
export type CallOutcome =
  | RefusedWrite
  | ReplayedWrite
  | { readonly _tag: "NodeChanged" | "NoText" }
  | { readonly _tag: "BotInactive" | "NodeInactive" | "ConnectorInactive" | "NotSubscribed" }
  | { readonly _tag: "Sent" }

export class CallStore extends Context.Service<
  CallStore,
  {
    /** Undefined if the bot, node, connector of the channel or identity is unknown. */
    readonly findNode: (session: AuthorizedSession, target: CallTarget) => StoreEffect<CalledNode | undefined>
    /**
     * Writes the message into the open chat, or opens one, with its delivery, receipt and audit entry. Needs no transaction.
     * `NodeChanged`: the node is not as it was found.
     */
    readonly send: (
      session: AuthorizedSession,
      call: CallWrite
    ) => StoreEffect<CallOutcome, IdempotencyInProgress>
    readonly find: (session: AuthorizedSession, callId: string) => StoreEffect<Call | undefined>
  }
>()("core/scenarios/CallStore") {}
