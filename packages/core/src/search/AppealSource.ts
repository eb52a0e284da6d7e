// Port of the appeals in the primary database as documents for a search index.
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { EvidenceChange } from "./EvidenceProjection.ts"
import type { DocumentRefused } from "./IndexCheckpoint.ts"

export interface AppealSize {
  readonly appealId: number
  /** Messages that an index would take: 0 of an appeal that is too long, quarantined or gone. */
  readonly messages: number
  /** UTF-8 bytes of their text. */
  readonly bytes: number
}

export class AppealSource extends Context.Service<
  AppealSource,
  {
    readonly sizes: (
      instanceId: number,
      appealIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<AppealSize>, SourceUnavailable>
    /**
     * The appeals as they stand now, one change for each id: a removal where it is quarantined or gone. Fails with
     * `DocumentRefused` where one appeal alone could not be read.
     */
    readonly read: (
      instanceId: number,
      appealIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<EvidenceChange>, SourceUnavailable | DocumentRefused>
    /** Up to `limit` ids above `after`, ascending, quarantined ones included. */
    readonly idsAfter: (
      instanceId: number,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
    readonly count: (instanceId: number) => Effect.Effect<number, SourceUnavailable>
  }
>()("@rapport/core/search/AppealSource") {}
