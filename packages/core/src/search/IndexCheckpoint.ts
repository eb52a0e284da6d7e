// How far a projection is in a search index: stored there with the data, in the same commit, opaque to the index.
import { Data, Schema } from "effect"

/** `active` answers searches; `building` replaces it when it is published. */
export const IndexCopy = Schema.Literals(["active", "building"])
export type IndexCopy = typeof IndexCopy.Type

/** How far one instance is in one copy. */
export const IndexCheckpoint = Schema.Struct({
  instanceId: Schema.Int,
  /** The position of the projection, opaque to the index. */
  checkpoint: Schema.String,
  /** True once everything was there; until then searches of the instance answer search_index_not_ready. */
  complete: Schema.Boolean,
  /** Commit time of the newest change that is in, epoch milliseconds. */
  indexedAt: Schema.Finite
})
export type IndexCheckpoint = typeof IndexCheckpoint.Type

/** A step of a projection. It applies only if the instance is at `from` (null: it has no checkpoint yet). */
export const IndexStep = Schema.Struct({
  copy: IndexCopy,
  from: Schema.NullOr(Schema.String),
  to: IndexCheckpoint
})
export type IndexStep = typeof IndexStep.Type

/** The copy is not where the writer assumes: it was lost and replaced, or another process writes too. */
export class IndexCheckpointMoved extends Schema.TaggedError<IndexCheckpointMoved>()("IndexCheckpointMoved", {
  instanceId: Schema.Int
}) {}

/** One document that the index will not take however often it is sent; the others of its batch were not written either. */
export class DocumentRefused extends Data.TaggedError("DocumentRefused")<{
  readonly key: number
  readonly reason: string
}> {}
