// How far a projection is in a search index: stored there with the data, in the same commit, opaque to the index.
import { Data } from "effect"

/** `active` answers searches; `building` replaces it when it is published. */
export type IndexCopy = "active" | "building"

/** How far one instance is in one copy. */
export interface IndexCheckpoint {
  readonly instanceId: number
  /** What the projection needs to go on: its own words, never read by the index. */
  readonly checkpoint: string
  /** True once everything was there; until then searches of the instance answer search_index_not_ready. */
  readonly complete: boolean
  /** Commit time of the newest change that is in, epoch milliseconds. */
  readonly indexedAt: number
}

/** A step of a projection: it is taken only where the instance is at `from` (null: it has no checkpoint yet). */
export interface IndexStep {
  readonly copy: IndexCopy
  readonly from: string | null
  readonly to: IndexCheckpoint
}

/** The copy is not where the writer assumes: it was lost and replaced, or another process writes too. */
export class IndexCheckpointMoved extends Data.TaggedError("IndexCheckpointMoved")<{
  readonly instanceId: number
}> {}

/** One document that the index will not take however often it is sent; the others of its batch were not written either. */
export class DocumentRefused extends Data.TaggedError("DocumentRefused")<{
  readonly key: number
  readonly reason: string
}> {}
