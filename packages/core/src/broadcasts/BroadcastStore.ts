// Port of broadcasts, their templates and recipients in the primary database (contract §9.1).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Broadcast, BroadcastResults, MessageTemplate } from "@rapport/contract/broadcasts/Broadcast.ts"
import { Context, type Effect } from "effect"
import type { ListFilter, ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { BroadcastStep } from "./BroadcastSteps.ts"
import type { ClientValues, ClientVariable } from "./BroadcastText.ts"
import type { FindMethod, ListMethod, RemovableMethods, StoreEffect } from "../lists/StoreMethods.ts"

/** Clients of the instance, merged ones left out: by id, or by a filter of their list. */
export type AudienceOf =
  | { readonly clientIds: ReadonlyArray<number> }
  | { readonly filters: ReadonlyArray<ListFilter> }

/** Clients that would get a message on the channel: one identity each, a subscribed one if possible. */
export interface AudienceReach {
  readonly total: number
  readonly eligible: number
  readonly notSubscribed: number
  readonly noIdentity: number
  /** Members that at least one eligible client lacks. */
  readonly lacking: ReadonlyArray<ClientVariable>
  readonly samples: ReadonlyArray<{
    readonly clientId: number
    readonly chatId: string
    readonly values: ClientValues
  }>
}

export interface BroadcastReferences {
  readonly botIds: ReadonlyArray<number>
  readonly templateIds: ReadonlyArray<number>
  readonly clientIds: ReadonlyArray<number>
}

/** Whether the bot of a broadcast and its connector are active. */
export interface SenderState {
  readonly isBotActive: boolean
  /** Null if the bot has no connector of the channel. */
  readonly isConnectorActive: boolean | null
}

/** Writes run in a transaction, with their audit entry. */
export class BroadcastStore extends Context.Service<
  BroadcastStore,
  {
    readonly templates: RemovableMethods<MessageTemplate>
    readonly list: ListMethod
    readonly find: FindMethod<Broadcast>
    readonly create: (
      session: AuthorizedSession,
      content: Omit<Broadcast, "id" | "status" | "createdAt" | "startedAt" | "completedAt" | "version">
    ) => StoreEffect<Broadcast>
    /** `step` is the action of the audit entry. */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      step: BroadcastStep | "update",
      decide: (found: Broadcast) => Effect.Effect<Broadcast | null, E>
    ) => StoreEffect<Broadcast | undefined, E>
    /** The records that are not of the instance; the others' templates are locked until the transaction ends. */
    readonly unknown: (
      session: AuthorizedSession,
      named: BroadcastReferences
    ) => StoreEffect<BroadcastReferences>
    readonly sender: (
      session: AuthorizedSession,
      botId: number,
      channel: string
    ) => StoreEffect<SenderState | undefined>
    readonly reach: (
      session: AuthorizedSession,
      channel: string,
      audience: AudienceOf,
      needed: ReadonlyArray<ClientVariable>
    ) => StoreEffect<AudienceReach>
    /** The same for the recipients of a started broadcast. */
    readonly reachFrozen: (session: AuthorizedSession, id: number) => StoreEffect<AudienceReach>
    /** Stores recipients and text. */
    readonly freeze: (
      session: AuthorizedSession,
      broadcast: Broadcast,
      channel: string,
      audience: AudienceOf,
      text: string
    ) => StoreEffect<void>
    /** Skips all queued recipients, also those with a delivery that no worker has claimed. */
    readonly skipQueued: (session: AuthorizedSession, id: number) => StoreEffect<void>
    /** Pauses the queued deliveries of the broadcast, or resumes them. */
    readonly setPaused: (session: AuthorizedSession, id: number, paused: boolean) => StoreEffect<void>
    readonly results: FindMethod<BroadcastResults>
    readonly listRecipients: (
      session: AuthorizedSession,
      id: number,
      request: ListRequest
    ) => StoreEffect<ListRows>
  }
>()("core/broadcasts/BroadcastStore") {}
