// Port of the writing half of the search index over appeals: whole documents in, each with the revision it was read at.
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type {
  DocumentRefused,
  IndexCopy,
  IndexCheckpoint,
  IndexCheckpointMoved,
  IndexStep
} from "./IndexCheckpoint.ts"

export interface EvidenceMessage {
  readonly id: number
  readonly authorType: "client" | "operator" | "bot" | "system"
  /** Name of who wrote it, where it is known: it helps to rank and never makes an appeal match. */
  readonly speaker: string | null
  readonly text: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
}

export interface EvidenceDocument {
  readonly appealId: number
  /** Rises with every change of what the document was read from. */
  readonly revision: number
  readonly kind: "chat" | "ticket"
  readonly clientId: number
  readonly subjectId: number | null
  /** Present operator; null: unassigned. */
  readonly operatorId: number | null
  /** Everybody with recorded participation. */
  readonly operatorIds: ReadonlyArray<number>
  readonly authorId: number | null
  /** Closed chat, ticket of the group done. */
  readonly closed: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly messageCount: number
  /** Of a ticket. */
  readonly title: string | null
  readonly description: string | null
  /** In the order of the transcript; null above APPEAL_MESSAGES_INDEXED_MAX: known by recency, never found by query. */
  readonly messages: ReadonlyArray<EvidenceMessage> | null
}

export type EvidenceChange =
  | { readonly _tag: "Upsert"; readonly document: EvidenceDocument }
  /** The appeal is absent from every answer from now on (quarantined, or gone). */
  | { readonly _tag: "Removal"; readonly appealId: number; readonly revision: number }

/**
 * A change of an older revision than the one that is there is dropped, a removal's too; an equal one is written again.
 * A batch is written whole or not at all, its step with it.
 */
export class EvidenceProjection extends Context.Service<
  EvidenceProjection,
  {
    /** Name of the engine, for those who operate it. */
    readonly engine: string
    readonly apply: (
      step: IndexStep,
      changes: ReadonlyArray<EvidenceChange>
    ) => Effect.Effect<void, SourceUnavailable | IndexCheckpointMoved | DocumentRefused>
    /** Empty when the copy is new, or was lost; a draft that does not exist has none either. */
    readonly checkpoints: (
      copy: IndexCopy
    ) => Effect.Effect<ReadonlyArray<IndexCheckpoint>, SourceUnavailable>
    /** Makes the copy anew and empty. */
    readonly reset: (copy: IndexCopy) => Effect.Effect<void, SourceUnavailable>
    /** The draft takes the place of what is served, for every search from now on. */
    readonly publish: Effect.Effect<void, SourceUnavailable>
    /** Tells what `EvidenceIndex.status` answers: creation time of the oldest change not yet in, null when there is none. */
    readonly observe: (instanceId: number, waitingSince: number | null) => Effect.Effect<void>
    /**
     * False: every search of this process is answered search_index_not_ready, because nobody knows whether the database
     * is the one that the index was built from. True at first.
     */
    readonly serve: (isServing: boolean) => Effect.Effect<void>
  }
>()("@rapport/core/search/EvidenceProjection") {}
