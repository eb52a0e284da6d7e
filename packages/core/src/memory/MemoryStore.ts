// Port of the entries of client memory in the primary database, as the caller may see them.
import type { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import { Context } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Stored } from "../lists/Stored.ts"

/** `occurredAt` as the wire shows it. `sessionId` of a message or working context, `namespace` of a state; null elsewhere. */
export interface FoundMemory {
  readonly kind: "action" | "state" | "message"
  readonly id: string
  /** Of a message. */
  readonly role: SessionRole | null
  /** At most SHOWN_TEXT_POINTS_MAX code points: the beginning, or the part around the words sought further on. */
  readonly text: string
  /** Whether it goes on before or after that. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
  readonly occurredAt: string
  /** 0…1, null without a query. */
  readonly score: number | null
  readonly sessionId: string | null
  readonly namespace: string | null
  /** The appeal it names, which the caller may see. */
  readonly appealId: number | null
}

/** `entryId` names the entry in the index. */
interface MemoryEntry extends Omit<FoundMemory, "score"> {
  readonly entryId: number
}

/** Which entries to read, the best first, and how much of them. */
interface MemoryWanted {
  readonly entryIds: ReadonlyArray<number>
  /** Entries that are read at most, of those that the caller may see. */
  readonly limit: number
  /** How the words sought begin: where a long text is read. */
  readonly wordStarts: ReadonlyArray<string>
}

export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Entries of the client that name an appeal which the caller may not see, no more than `limit`. */
    readonly hiddenIds: (caller: Caller, clientId: number, limit: number) => Stored<ReadonlyArray<number>>
    /** Those of the entries that are this client's and name no appeal which the caller may not see, in their order. */
    readonly entries: (
      caller: Caller,
      clientId: number,
      wanted: MemoryWanted
    ) => Stored<ReadonlyArray<MemoryEntry>>
  }
>()("core/memory/MemoryStore") {}
