// Port for writing a search index: whole documents, each with its revision.
import { type Effect, Schema } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type {
  DocumentRefused,
  IndexCopy,
  IndexCheckpoint,
  IndexCheckpointMoved,
  IndexStep
} from "./IndexCheckpoint.ts"

export const DocumentText = Schema.Struct({
  /** Id of the message. */
  id: Schema.Int,
  /** Name of the author, if known. It influences the ranking and never makes a document match. */
  speaker: Schema.NullOr(Schema.String),
  text: Schema.String
})
export type DocumentText = typeof DocumentText.Type

/** The members that scopes and visibility compare. */
const Facets = Schema.Struct({
  clientId: Schema.Int,
  subjectId: Schema.NullOr(Schema.Int),
  /** The current operator; null: unassigned. */
  operatorId: Schema.NullOr(Schema.Int),
  /** All operators with recorded participation. */
  operatorIds: Schema.Array(Schema.Int),
  authorId: Schema.NullOr(Schema.Int),
  closed: Schema.Boolean
})
export type Facets = typeof Facets.Type

/** The facets of a document that belongs to a client only. */
export const facetsOfClient = (clientId: number): Facets => ({
  clientId,
  subjectId: null,
  operatorId: null,
  operatorIds: [],
  authorId: null,
  closed: false
})

export const IndexedDocument = Schema.Struct({
  ...Facets.fields,
  documentId: Schema.Int,
  /** Rises with every change of the rows that the document was read from. */
  revision: Schema.Int,
  /** Epoch milliseconds. */
  createdAt: Schema.Int,
  /** Searched before the texts; it is not a message. Null: none. */
  heading: Schema.NullOr(Schema.String),
  /** In order. Null: too many texts; the document is listed by time and never found by query. */
  texts: Schema.NullOr(Schema.Array(DocumentText))
})
export type IndexedDocument = typeof IndexedDocument.Type

export const DocumentChange = Schema.Union([
  Schema.TaggedStruct("Upsert", { document: IndexedDocument }),
  /** Removes the document, because it is quarantined or deleted. */
  Schema.TaggedStruct("Removal", { documentId: Schema.Int, revision: Schema.Int })
])
export type DocumentChange = typeof DocumentChange.Type

/**
 * A change with a lower revision than the stored one is dropped, also after a removal. An equal revision is written again.
 * A batch and its checkpoint are written together or not at all.
 */
export interface DocumentProjection {
  /** Name of the engine, for operators of the service. */
  readonly engine: string
  readonly apply: (
    step: IndexStep,
    changes: ReadonlyArray<DocumentChange>
  ) => Effect.Effect<void, SourceUnavailable | IndexCheckpointMoved | DocumentRefused>
  /** Empty for a new, lost or missing copy. */
  readonly checkpoints: (copy: IndexCopy) => Effect.Effect<ReadonlyArray<IndexCheckpoint>, SourceUnavailable>
  /** Whether the active copy has an older format. It answers and is written until its successor is built. */
  readonly outdated: Effect.Effect<boolean>
  /** Replaces the copy with an empty one. */
  readonly reset: (copy: IndexCopy) => Effect.Effect<void, SourceUnavailable>
  /** Makes the new copy the active one for every later search. */
  readonly publish: Effect.Effect<void, SourceUnavailable>
  /** For `DocumentIndex.status`: the creation time of the oldest change that is not indexed, null: none. */
  readonly observe: (instanceId: number, waitingSince: number | null) => Effect.Effect<void>
  /**
   * False: every search of this process fails with search_index_not_ready, because the index may belong to another
   * database. Initially true.
   */
  readonly serve: (isServing: boolean) => Effect.Effect<void>
}
