// Port of chats and tickets in the primary database; what the caller may not see does not exist for the caller (docs/contract.md §2, §7).
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import type { Ticket, TicketStatus, TicketStatuses } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { Claim } from "../receipts/Receipts.ts"
import type { Answerable, Answering } from "./Answering.ts"
import type { AppealDraft, Known, MessageDraft, Named } from "./AppealDraft.ts"
import type { AppealKind } from "./TranscriptStore.ts"
import type { Found, Listed, Stored, Updated } from "../lists/Stored.ts"

/** What a message names; all but one of its authors are null. */
export interface NamedByMessage {
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly externalMessageId: string | null
  /** Of an operator. */
  readonly authorId: number | null
  readonly botAuthorId: number | null
  readonly clientAuthorId: number | null
}

/** The bot that a chat goes through, and the client's chat in its channel. */
interface ChatRoute {
  readonly botId: number
  readonly channel: string
  readonly chatId: string
}

/** An appeal that a message is written into, locked until the transaction ends. */
export interface OpenAppeal extends Answerable {
  readonly id: number
  readonly clientId: number
  readonly closed: boolean
  readonly operatorIds: ReadonlyArray<number>
  readonly messageCount: number
  /** Where a message to the client goes; null where the appeal is no chat of a bot. */
  readonly route: ChatRoute | null
  /** The message that has the external id already. */
  readonly known: AppealMessage | undefined
  readonly unknownAuthorIds: ReadonlyArray<number>
  readonly unknownBotIds: ReadonlyArray<number>
  readonly otherClientIds: ReadonlyArray<number>
}

/** The client of an appeal, locked until the transaction ends: a merge or an erasure comes before or after. */
export interface LockedClient {
  readonly id: number
  readonly isErased: boolean
}

/** What a message changes of its appeal. */
export interface Appended extends Answering {
  readonly operatorIds: ReadonlyArray<number>
}

/** A chat to be made at once. */
export interface ChatAtOnce {
  readonly draft: AppealDraft
  readonly named: Named
  readonly claim: Claim | null
  /** Whether it needs appeals.import. */
  readonly isHistory: boolean
}

/** Writes, `look` and `open` run in a transaction, unless they say that they are one statement. */
export class AppealStore extends Context.Service<
  AppealStore,
  {
    /** Checks what a request names, all at once, and locks its client until the transaction ends. */
    readonly look: (session: AuthorizedSession, named: Named) => Stored<Known>
    readonly createChat: (session: AuthorizedSession, draft: AppealDraft) => Stored<Chat>
    /**
     * The same by itself, in a statement that judges the caller and what it names, with its receipt, if any; undefined, and
     * nothing written, where that is not as `supposing` says or the key is taken: a transaction finds out why. Of a caller who is
     * not allowed to, or no more an operator or one only now, it does not say more.
     */
    readonly createChatAtOnce: (
      session: AuthorizedSession,
      chat: ChatAtOnce
    ) => Stored<{ readonly isAllowed: boolean; readonly chat: Chat | undefined }, IdempotencyInProgress>
    /** Gives it the next number of the instance. */
    readonly createTicket: (session: AuthorizedSession, draft: AppealDraft) => Stored<Ticket>
    readonly findChat: Found<Chat>
    readonly findTicket: Found<Ticket>
    readonly listChats: Listed
    readonly listTickets: Listed
    /** Locks the record, asks `decide` what it shall be (null: no change) and writes it as the next version. */
    readonly updateChat: Updated<Chat>
    /** The same; the participation of a new operator is recorded. */
    readonly updateTicket: Updated<Ticket>
    /** Every write into an appeal begins with it; undefined where the caller sees no such appeal. */
    readonly lockClient: (
      session: AuthorizedSession,
      kind: AppealKind,
      id: number
    ) => Stored<LockedClient | undefined>
    readonly open: (
      session: AuthorizedSession,
      kind: AppealKind,
      id: number,
      message: NamedByMessage
    ) => Stored<OpenAppeal | undefined>
    /** Writes the message behind the last one. */
    readonly append: (
      session: AuthorizedSession,
      kind: AppealKind,
      appeal: OpenAppeal,
      message: MessageDraft,
      appended: Appended
    ) => Stored<AppealMessage>
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
