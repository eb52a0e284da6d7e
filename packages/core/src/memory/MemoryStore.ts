// Port of the entries of client memory in the primary database, as the caller may see them.
import { Context, type Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { FoundMemory } from "./ClientMemory.ts"

/** `text` is whole; `entryId` names the entry in the index. */
export interface MemoryEntry extends Omit<FoundMemory, "score"> {
  readonly entryId: number
}

export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Those of the entries that are this client's and name no appeal which the caller may not see, in any order. */
    readonly entries: (
      caller: Caller,
      clientId: number,
      entryIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<MemoryEntry>, SourceUnavailable>
  }
>()("core/memory/MemoryStore") {}
