// Port of chats and tickets in the primary database; what the caller may not see does not exist for the caller (contract §2, §7).
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import type { Ticket, TicketStatus, TicketStatuses } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { Claim } from "../receipts/Receipts.ts"
import type { AppealDraft, Known, MessageDraft, Named } from "./AppealDraft.ts"
import type { AppealKind } from "./TranscriptStore.ts"
import type { Found, Listed, Stored, Updated } from "../lists/Stored.ts"

/** A message for a chat or ticket. */
export interface AppealMessageWrite extends MessageDraft {
  readonly kind: AppealKind
  readonly appealId: number
  readonly recordedAt: number
  /** A UUIDv7, for a message that leaves to the client where the chat goes through a bot. */
  readonly deliveryId: string | null
  readonly claim: Claim | null
}

/** `Replayed` is the answer under the key, `Known` the earlier message with the external id. */
export type AppealMessageOutcome =
  | { readonly _tag: "Added" | "Replayed" | "Known"; readonly message: AppealMessage }
  | { readonly _tag: "KeyReused" | "Unknown" | "ClientErased" | "UnknownAuthor" | "Closed" }

/** The client of an appeal, locked until the transaction ends: a merge or an erasure comes before or after. */
export interface LockedClient {
  readonly id: number
  readonly isErased: boolean
}

/** A new chat or ticket. */
export interface AppealWrite {
  readonly draft: AppealDraft
  /** Its records; the operator is also the one of the draft. */
  readonly named: Named
  /** False for a request with other faults: then nothing is written. */
  readonly isValid: boolean
  /** The version of the ticket statuses of the draft; null for a chat. */
  readonly statusesVersion: number | null
  readonly claim: Claim | null
}

/** `Replayed` is the answer under the key; `Refused` says what the request may not name. */
export type AppealOutcome<A> =
  | { readonly _tag: "Created" | "Replayed"; readonly appeal: A }
  | { readonly _tag: "Refused"; readonly known: Known }
  | { readonly _tag: "KeyReused" | "StatusesChanged" }

type Create<A> = (
  session: AuthorizedSession,
  write: AppealWrite
) => Stored<AppealOutcome<A>, IdempotencyInProgress>

/** Writes and `look` run in a transaction, unless they say that they are one statement. */
export class AppealStore extends Context.Service<
  AppealStore,
  {
    /** Checks what a request names, all at once, and locks its client until the transaction ends. */
    readonly look: (session: AuthorizedSession, named: Named) => Stored<Known>
    /** One statement, which needs no transaction. The client of the draft may have been merged: the appeal is of the survivor. */
    readonly createChat: Create<Chat>
    /** The same; gives the ticket the next number of the instance. */
    readonly createTicket: Create<Ticket>
    readonly findChat: Found<Chat>
    readonly findTicket: Found<Ticket>
    readonly listChats: Listed
    readonly listTickets: Listed
    /** Locks the record, asks `decide` what it shall be (null: no change) and writes it as the next version. */
    readonly updateChat: Updated<Chat>
    /** The same; the participation of a new operator is recorded. */
    readonly updateTicket: Updated<Ticket>
    /** Every change of an appeal begins with it; undefined where the caller sees no such appeal. */
    readonly lockClient: (
      session: AuthorizedSession,
      kind: AppealKind,
      id: number
    ) => Stored<LockedClient | undefined>
    /** Appends the message in one statement, which needs no transaction. An author of type client is the client of the appeal. */
    readonly addMessage: (
      session: AuthorizedSession,
      message: AppealMessageWrite
    ) => Stored<AppealMessageOutcome, IdempotencyInProgress>
    readonly ticketStatuses: (session: AuthorizedSession) => Stored<TicketStatuses>
    /** The same, held until the transaction ends: for use side by side, or alone for a change. */
    readonly lockTicketStatuses: (
      session: AuthorizedSession,
      held: "for use" | "for change"
    ) => Stored<TicketStatuses>
    /** Those of the names that a ticket has. */
    readonly usedStatuses: (
      session: AuthorizedSession,
      names: ReadonlyArray<string>
    ) => Stored<ReadonlyArray<string>>
    readonly setTicketStatuses: (
      session: AuthorizedSession,
      statuses: ReadonlyArray<TicketStatus>
    ) => Stored<TicketStatuses>
  }
>()("core/appeals/AppealStore") {}
