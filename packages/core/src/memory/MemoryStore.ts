// Port of the entries of client memory in the primary database, as the caller may see them.
import { Context, type Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { FoundMemory } from "./ClientMemory.ts"

/** `entryId` names the entry in the index. */
export interface MemoryEntry extends Omit<FoundMemory, "score"> {
  readonly entryId: number
}

/** Which entries to read, the best first, and how much of them. */
export interface MemoryWanted {
  readonly entryIds: ReadonlyArray<number>
  /** Entries that are read at most, of those that the caller may see. */
  readonly limit: number
  /** How the words sought begin: where a long text is read. */
  readonly wordStarts: ReadonlyArray<string>
}

export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Those of the entries that are this client's and name no appeal which the caller may not see, in their order. */
    readonly entries: (
      caller: Caller,
      clientId: number,
      wanted: MemoryWanted
    ) => Effect.Effect<ReadonlyArray<MemoryEntry>, SourceUnavailable>
  }
>()("core/memory/MemoryStore") {}
