// Port of calls in the primary database: whom one addresses, and what became of it (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import type { Call, CallAccepted } from "@rapport/contract/scenarios/Call.ts"
import { Context } from "effect"
import type { Claim } from "../receipts/Receipts.ts"
import type { Stored } from "../lists/Stored.ts"

/** A node by its id, or by the alias of its entry point; chatId is the channel's of a client's identity. */
export interface CallTarget {
  readonly botId: number
  readonly node: { readonly id: number } | { readonly alias: string }
  readonly channel: string
  readonly chatId: string
}

/** What the text of a call is made by. */
export interface CalledNode {
  readonly nodeId: number
  readonly template: string | null
}

export interface Callee extends CalledNode {
  readonly clientId: number
  readonly isSubscribed: boolean
  readonly isBotActive: boolean
  readonly isNodeActive: boolean
  readonly isConnectorActive: boolean
  /** The newest chat of (bot, channel, chatId) that is not closed. */
  readonly openChatId: number | null
}

export interface ExpectedCall {
  readonly node: CalledNode
  readonly text: string
  readonly answer: CallAccepted
  readonly claim: Claim | null
}

interface Sent {
  readonly appealId: number
  readonly messageId: number
}

export class CallStore extends Context.Service<
  CallStore,
  {
    /** As `open`, without locks. */
    readonly look: (session: AuthorizedSession, target: CallTarget) => Stored<Callee | undefined>
    /**
     * `send` by itself, in one statement with its receipt, if any; false, and nothing written, where the node is not as it
     * was read, bot, connector or client cannot be reached, no chat is open, or the key is taken: a transaction finds out why.
     */
    readonly sendInOneStatement: (
      session: AuthorizedSession,
      target: CallTarget,
      call: ExpectedCall
    ) => Stored<boolean, IdempotencyInProgress>
    /**
     * Undefined where bot, node, connector of the channel or identity is unknown. In a transaction: the identity is held until
     * it ends, so that of two calls one opens the chat; and its client, so that a merge comes before or after.
     */
    readonly open: (session: AuthorizedSession, target: CallTarget) => Stored<Callee | undefined>
    /** Writes the message, with its delivery and its audit entry; in the same transaction. */
    readonly send: (
      session: AuthorizedSession,
      target: CallTarget,
      callee: Callee,
      message: { readonly callId: string; readonly text: string }
    ) => Stored<Sent>
    readonly find: (session: AuthorizedSession, callId: string) => Stored<Call | undefined>
  }
>()("core/scenarios/CallStore") {}
