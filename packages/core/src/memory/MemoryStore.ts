// Port of the entries of client memory in the primary database, as the caller may see them.
import type { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import { Context } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Conversation } from "../context/read/ConversationQuery.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** `occurredAt` as the wire shows it. `sessionId` of a message or working context, `namespace` of a state; null elsewhere. */
export interface FoundMemory {
  readonly kind: "action" | "state" | "message"
  readonly id: string
  /** Of a message. */
  readonly role: SessionRole | null
  /** At most SHOWN_TEXT_POINTS_MAX code points: the beginning, or the part around the words of the query. */
  readonly text: string
  /** Whether the text continues before or after it. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
  readonly occurredAt: string
  /** 0…1, null without a query. */
  readonly score: number | null
  readonly sessionId: string | null
  readonly namespace: string | null
  /** The referenced appeal, which the caller may see. */
  readonly appealId: number | null
}

/** `entryId` is the id of the entry in the index. */
export interface MemoryEntry extends Omit<FoundMemory, "score"> {
  readonly entryId: number
}

/** The entries to read, best first. */
interface MemoryWanted {
  readonly entryIds: ReadonlyArray<number>
  /** Entries of its sessions are not read. */
  readonly leftOut: Conversation | null
  /** The most visible entries to read. */
  readonly limit: number
  /** Beginnings of the words of the query, which select the part of a long text. */
  readonly wordStarts: ReadonlyArray<string>
}

export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** At most `limit` entries of the client that are left out, or reference an appeal which the caller may not see. */
    readonly hiddenIds: (
      caller: Caller,
      clientId: number,
      leftOut: Conversation | null,
      limit: number
    ) => StoreEffect<ReadonlyArray<number>>
    /** The entries of the client that reference no hidden appeal, in the given order. */
    readonly entries: (
      caller: Caller,
      clientId: number,
      wanted: MemoryWanted
    ) => StoreEffect<ReadonlyArray<MemoryEntry>>
  }
>()("core/memory/MemoryStore") {}
