// Port of the search index over appeals: a projection of PostgreSQL that finds candidate appeals with their best
// passages. It decides nothing: PostgreSQL re-checks what it names (docs/contract.md §3.3).
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Reading } from "./text/Readings.ts"

/** Whose appeals are asked for. Exactly one kind of scope a query. */
export type EvidenceScope =
  | { readonly _tag: "Client"; readonly clientId: number }
  | { readonly _tag: "Subject"; readonly subjectId: number }
  /** Appeals that a user was ever assigned to or wrote in as operator. */
  | { readonly _tag: "Participant"; readonly userId: number }
  /** Appeals of any of the subjects. */
  | { readonly _tag: "Subjects"; readonly subjectIds: ReadonlyArray<number> }
  /** Appeals with participation of any of the users, whatever their subject. */
  | { readonly _tag: "Participants"; readonly userIds: ReadonlyArray<number> }

/** What the caller may see, as a filter: an appeal passes when `everything` or any one member admits it (§2). */
export interface AppealVisibility {
  readonly everything: boolean
  /** Closed chats and tickets of the group done. */
  readonly closed: boolean
  readonly subjectIds: ReadonlyArray<number>
  /** Of these subjects only appeals without operator. */
  readonly unassignedSubjectIds: ReadonlyArray<number>
  readonly participantIds: ReadonlyArray<number>
  /** Authors of tickets. */
  readonly authorIds: ReadonlyArray<number>
}

export interface EvidenceQuery {
  readonly instanceId: number
  readonly scope: EvidenceScope
  readonly visibility: AppealVisibility
  /** Words to match, best first; null asks for the latest by createdAt, then id, both descending. */
  readonly query: string | null
  /** Half-open range of the appeal's createdAt, epoch milliseconds. */
  readonly from: number | null
  readonly to: number | null
  /** At most this many appeals. */
  readonly limit: number
  /** Best passages named per appeal; 0 without a query. */
  readonly passagesPerAppeal: number
  /** Epoch milliseconds after which nobody waits for the answer any more. */
  readonly deadline: number
}

/** A text that matched; `score` in 0…1 compares passages of one answer. */
export interface EvidencePassage {
  /** Null: the title and description of a ticket. */
  readonly messageId: number | null
  readonly score: number
}

export interface EvidenceCandidate {
  readonly appealId: number
  /** 0…1, null without a query. Descending in the answer. */
  readonly score: number | null
  /** Best first; empty without a query. */
  readonly passages: ReadonlyArray<EvidencePassage>
}

export interface EvidenceFound {
  readonly candidates: ReadonlyArray<EvidenceCandidate>
  /** More visible appeals match than `limit` let in. */
  readonly more: boolean
  /** Words of the query that stand nowhere in what the scope and the visibility admit, as they were read instead. */
  readonly readings: ReadonlyArray<Reading>
}

/** A search that fails, is interrupted or passes its deadline gives nothing rather than a part. */
export class EvidenceIndex extends Context.Service<
  EvidenceIndex,
  {
    readonly search: (query: EvidenceQuery) => Effect.Effect<EvidenceFound, SourceUnavailable>
    /** Where the projection of an instance stands. `indexedAt`: commit time of the newest searchable change, epoch millis. */
    readonly status: (instanceId: number) => Effect.Effect<IndexStatus, SourceUnavailable>
  }
>()("core/search/EvidenceIndex") {}

export interface IndexStatus {
  /** False while it was never complete: a first build or a rebuild from nothing. */
  readonly ready: boolean
  /** Age of the oldest committed change that is not searchable, milliseconds; 0 when there is none. */
  readonly lagMillis: number
  readonly indexedAt: number
}
