// Port of chats and tickets in the primary database; hidden records do not exist for the caller (contract §2, §7).
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import type { Ticket, TicketStatus, TicketStatuses } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { Context, type Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite } from "../receipts/WriteOutcomes.ts"
import type { AppealDraft, UsableReferences, MessageDraft, AppealReferences } from "./AppealDraft.ts"
import type { FindMethod, ListMethod, StoreEffect, UpdateMethod } from "../lists/StoreMethods.ts"

export type AppealKind = "chat" | "ticket"

/** A new message of a chat or ticket. */
export interface AppealMessageWrite extends MessageDraft {
  readonly kind: AppealKind
  readonly appealId: number
  /** A UUIDv7 for a message that is delivered if the chat uses a bot; else null. */
  readonly deliveryId: string | null
  readonly prepared: PreparedWrite
}

/** A written message. */
export interface MessagePlace {
  readonly kind: AppealKind
  readonly appealId: number
  readonly messageId: number
}

/** A range of the messages of an appeal. */
export interface TranscriptPage extends SequenceStretch<number> {
  readonly kind: AppealKind
  readonly appealId: number
}

/** `Replayed` is the answer under the key, `Known` the earlier message with the external id. */
export type AppealMessageOutcome =
  | { readonly _tag: "Added" | "Replayed" | "Known"; readonly message: AppealMessage }
  | { readonly _tag: "ClientErased" | "UnknownAuthor" | "UnknownFile" | "Closed" }
  | RefusedWrite

/** The client of an appeal, locked until the transaction ends against merges and erasures. */
export interface LockedClient {
  readonly id: number
  readonly isErased: boolean
}

/** A new chat or ticket. */
export interface AppealWrite {
  readonly draft: AppealDraft
  /** Referenced records; the operator is also that of the draft. */
  readonly named: AppealReferences
  /** False: the request has other faults, so nothing is written. */
  readonly isValid: boolean
  /** The version of the ticket statuses of the draft; null for a chat. */
  readonly statusesVersion: number | null
  readonly prepared: PreparedWrite
}

/** The caller may not put files into the messages at these places of the draft. */
export interface UnknownFiles {
  readonly _tag: "UnknownFiles"
  readonly places: ReadonlyArray<number>
}

/** `Replayed` is the answer under the key; `Invalid` names the records that the caller may use. */
export type AppealOutcome<A> =
  | { readonly _tag: "Created" | "Replayed"; readonly appeal: A }
  /** The external id is stored already: nothing was written. */
  | { readonly _tag: "Known"; readonly id: number }
  | { readonly _tag: "Invalid"; readonly known: UsableReferences }
  | UnknownFiles
  | { readonly _tag: "KeyReused" | "Refused" | "StatusesChanged" | "NumberInUse" }

/** The methods of one kind of appeal. */
export interface AppealMethods<A> {
  readonly find: FindMethod<A>
  readonly list: ListMethod
  /** One statement; needs no transaction. If the client was merged, the appeal belongs to the survivor. */
  readonly create: (
    session: AuthorizedSession,
    write: AppealWrite
  ) => StoreEffect<AppealOutcome<A>, IdempotencyInProgress>
  /** Locks the record and writes the result of `decide` (null: no change) as the next version. */
  readonly update: UpdateMethod<A>
}

/** Writes and `checkReferences` run in a transaction, except those that are one statement. */
export class AppealStore extends Context.Service<
  AppealStore,
  {
    /** Validates every referenced id and locks the client until the transaction ends. */
    readonly checkReferences: (
      session: AuthorizedSession,
      named: AppealReferences
    ) => StoreEffect<UsableReferences>
    readonly chats: AppealMethods<Chat>
    /** A new ticket gets its imported number, or the next one of the instance. An update records a new operator as participant. */
    readonly tickets: AppealMethods<Ticket>
    /**
     * Adds the messages of the draft whose external id the appeal does not have, and ends an open appeal if the draft has ended.
     * After lockClient, in its transaction.
     */
    readonly continueHistory: (
      session: AuthorizedSession,
      id: number,
      draft: AppealDraft
    ) => StoreEffect<void, UnknownFiles>
    /** The first step of every change; undefined if the caller sees no such appeal. */
    readonly lockClient: (
      session: AuthorizedSession,
      kind: AppealKind,
      id: number
    ) => StoreEffect<LockedClient | undefined>
    /** Undefined if the appeal is unknown or not visible, or if the message in the middle belongs to another appeal. */
    readonly listMessages: (
      caller: Caller,
      page: TranscriptPage
    ) => StoreEffect<SequenceFound<AppealMessage> | undefined>
    /** Appends the message in one statement, without a transaction. An author of type client is the client of the appeal. */
    readonly addMessage: (
      session: AuthorizedSession,
      message: AppealMessageWrite
    ) => StoreEffect<AppealMessageOutcome, IdempotencyInProgress>
    /**
     * Locks the message and writes text, version and times of the result of `decide` (null: no change). The text before goes to the
     * audit log. Undefined if the caller sees no such message.
     */
    readonly updateMessage: <E>(
      session: AuthorizedSession,
      place: MessagePlace,
      decide: (found: AppealMessage, isBeingSent: boolean) => Effect.Effect<AppealMessage | null, E>
    ) => StoreEffect<AppealMessage | undefined, E>
    readonly ticketStatuses: (session: AuthorizedSession) => StoreEffect<TicketStatuses>
    /** The same, locked until the transaction ends: shared for use, exclusive for a change. */
    readonly lockTicketStatuses: (
      session: AuthorizedSession,
      use: "for use" | "for change"
    ) => StoreEffect<TicketStatuses>
    /** The names that are used by a ticket. */
    readonly usedStatuses: (
      session: AuthorizedSession,
      names: ReadonlyArray<string>
    ) => StoreEffect<ReadonlyArray<string>>
    readonly setTicketStatuses: (
      session: AuthorizedSession,
      statuses: ReadonlyArray<TicketStatus>
    ) => StoreEffect<TicketStatuses>
  }
>()("core/appeals/AppealStore") {}
