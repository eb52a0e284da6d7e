// The writing half of a search index over documents: whole documents in, each with the revision it was read at.
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
  /** Of the message. */
  readonly id: number
  /** Name of the author, where it is known: it helps to rank and never makes a document match. */
  readonly speaker: string | null
  readonly text: string
}

/** What scopes and visibility are decided by. */
export interface Facets {
  readonly clientId: number
  readonly subjectId: number | null
  /** Present operator; null: unassigned. */
  readonly operatorId: number | null
  /** All with recorded participation. */
  readonly operatorIds: ReadonlyArray<number>
  readonly authorId: number | null
  readonly closed: boolean
}

/** Of a document that only its client is concerned with. */
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
  /** Rises with every change of what the document was read from. */
  readonly revision: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Searched before the texts, and no message of its own; null where there is none. */
  readonly heading: string | null
  /** In their order; null: too many, the document is known by recency and never found by query. */
  readonly texts: ReadonlyArray<DocumentText> | null
}

export type DocumentChange =
  | { readonly _tag: "Upsert"; readonly document: IndexedDocument }
  /** The document is absent from every answer from now on (quarantined, or gone). */
  | { readonly _tag: "Removal"; readonly documentId: number; readonly revision: number }

/**
 * A change of an older revision than the one that is there is dropped, a removal's too; an equal one is written again.
 * A batch is written whole or not at all, its step with it.
 */
export interface DocumentProjection {
  /** Name of the engine, for those who operate it. */
  readonly engine: string
  readonly apply: (
    step: IndexStep,
    changes: ReadonlyArray<DocumentChange>
  ) => Effect.Effect<void, SourceUnavailable | IndexCheckpointMoved | DocumentRefused>
  /** Empty when the copy is new, or was lost; a draft that does not exist has none either. */
  readonly checkpoints: (copy: IndexCopy) => Effect.Effect<ReadonlyArray<IndexCheckpoint>, SourceUnavailable>
  /** Whether the active copy, as last read, is of an older format: it is served and written to until its successor is built. */
  readonly outdated: Effect.Effect<boolean>
  /** Replaces the copy by an empty one. */
  readonly reset: (copy: IndexCopy) => Effect.Effect<void, SourceUnavailable>
  /** The draft takes the place of what is served, for every search from now on. */
  readonly publish: Effect.Effect<void, SourceUnavailable>
  /** For `DocumentIndex.status`: creation time of the oldest change not yet in, null when there is none. */
  readonly observe: (instanceId: number, waitingSince: number | null) => Effect.Effect<void>
  /**
   * False: every search of this process is answered search_index_not_ready, because it is unknown whether the database
   * is the one that the index was built from. True at first.
   */
  readonly serve: (isServing: boolean) => Effect.Effect<void>
}
