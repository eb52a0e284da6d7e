// Port for writing a search index: whole documents, each with its revision.
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type {
  DocumentRefused,
  IndexCopy,
  IndexCheckpoint,
  IndexCheckpointMoved,
  IndexStep
} from "./IndexCheckpoint.ts"

export interface DocumentText {
  /** Id of the message. */
  readonly id: number
  /** Name of the author, if known. It influences the ranking and never makes a document match. */
  readonly speaker: string | null
  readonly text: string
}

/** The members that scopes and visibility compare. */
export interface Facets {
  readonly clientId: number
  readonly subjectId: number | null
  /** The current operator; null: unassigned. */
  readonly operatorId: number | null
  /** All operators with recorded participation. */
  readonly operatorIds: ReadonlyArray<number>
  readonly authorId: number | null
  readonly closed: boolean
}

/** The facets of a document that belongs to a client only. */
export const facetsOfClient = (clientId: number): Facets => ({
  clientId,
  subjectId: null,
  operatorId: null,
  operatorIds: [],
  authorId: null,
  closed: false
})

export interface IndexedDocument extends Facets {
  readonly documentId: number
  /** Rises with every change of the rows that the document was read from. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Searched before the texts; it is not a message. Null: none. */
  readonly heading: string | null
  /** In order. Null: too many texts; the document is listed by time and never found by query. */
  readonly texts: ReadonlyArray<DocumentText> | null
}

export type DocumentChange =
  | { readonly _tag: "Upsert"; readonly document: IndexedDocument }
  /** Removes the document, because it is quarantined or deleted. */
  | { readonly _tag: "Removal"; readonly documentId: number; readonly revision: number }

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
