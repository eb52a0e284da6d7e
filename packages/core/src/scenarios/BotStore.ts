// Port of bots with their connectors, and of nodes, in the primary database (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import type { Bot, BotNode } from "@rapport/contract/scenarios/Bot.ts"
import { Context, type Effect, type Redacted } from "effect"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { FindMethod, ListMethod, StoreEffect } from "../lists/StoreMethods.ts"

/** `secret` signs webhook requests, or is the secret token of Telegram updates. `token` belongs to a Telegram bot. */
export interface StoredConnector {
  readonly channel: string
  readonly kind: "webhook" | "telegram"
  readonly url: string | null
  readonly secret: Redacted.Redacted
  /** Valid too, while the other side changes to `secret`. */
  readonly previousSecret: Redacted.Redacted | null
  readonly token: Redacted.Redacted | null
  readonly active: boolean
}

export interface BotContent {
  readonly name: string
  readonly active: boolean
  readonly connectors: ReadonlyArray<StoredConnector>
}
export interface StoredBot extends BotContent {
  readonly id: number
}

type NodeContent = Omit<BotNode, "id" | "botId">

/** Writes run in a transaction, which also contains their audit entry. Records of other instances are not found. */
export class BotStore extends Context.Service<
  BotStore,
  {
    readonly listBots: ListMethod
    readonly findBot: FindMethod<Bot>
    readonly createBot: (session: AuthorizedSession, content: BotContent) => StoreEffect<Bot>
    /** Locks the bot and writes the result of `decide` (null: no change). */
    readonly updateBot: <E>(
      session: AuthorizedSession,
      id: number,
      decide: (found: StoredBot) => Effect.Effect<BotContent | null, E>
    ) => StoreEffect<Bot | undefined, E>
    readonly listNodes: (
      session: AuthorizedSession,
      botId: number,
      request: ListRequest
    ) => StoreEffect<ListRows>
    readonly findNode: (
      session: AuthorizedSession,
      botId: number,
      id: number
    ) => StoreEffect<BotNode | undefined>
    /** The bot must exist. */
    readonly createNode: (
      session: AuthorizedSession,
      botId: number,
      content: NodeContent
    ) => StoreEffect<BotNode, UniqueConflict>
    readonly updateNode: <E>(
      session: AuthorizedSession,
      botId: number,
      id: number,
      decide: (found: BotNode) => Effect.Effect<BotNode | null, E>
    ) => StoreEffect<BotNode | undefined, E | UniqueConflict>
  }
>()("core/scenarios/BotStore") {}
