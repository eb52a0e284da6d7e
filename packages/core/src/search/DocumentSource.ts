// The rows of the primary database as documents for a search index.
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { DocumentChange } from "./DocumentProjection.ts"
import type { DocumentRefused } from "./IndexCheckpoint.ts"

export interface DocumentSize {
  readonly documentId: number
  /** Texts that an index would take: 0 of a document that is too long, quarantined or gone. */
  readonly texts: number
  /** UTF-8 bytes of their text. */
  readonly bytes: number
}

export interface DocumentSource {
  readonly sizes: (
    instanceId: number,
    documentIds: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<DocumentSize>, SourceUnavailable>
  /**
   * The documents as they are now, one change for each id: a removal where it is quarantined or gone. Fails with
   * `DocumentRefused` if a single document cannot be read.
   */
  readonly read: (
    instanceId: number,
    documentIds: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<DocumentChange>, SourceUnavailable | DocumentRefused>
  /** Up to `limit` ids above `after`, ascending, quarantined ones included. */
  readonly idsAfter: (
    instanceId: number,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
  readonly count: (instanceId: number) => Effect.Effect<number, SourceUnavailable>
}
