// A search index over documents, of which there are two: appeals and client memory. It is a projection of PostgreSQL that
// finds candidates with their best passages and decides nothing: PostgreSQL re-checks them (contract §3.3).
import type { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Reading } from "./text/Readings.ts"

/** Whose documents a query is about: one kind of scope a query. */
export type DocumentScope =
  | { readonly _tag: "Client"; readonly clientId: number }
  | { readonly _tag: "Subject"; readonly subjectId: number }
  /** Documents that a user took part in as operator. */
  | { readonly _tag: "Participant"; readonly userId: number }
  /** Documents of any of the subjects, and those that any of the users took part in, whatever their subject. */
  | {
      readonly _tag: "Group"
      readonly subjectIds: ReadonlyArray<number>
      readonly userIds: ReadonlyArray<number>
    }

/** What the caller may see, as a filter: a document passes when `everything` or any one member admits it (contract §2), and none hides it. */
export interface DocumentVisibility {
  readonly everything: boolean
  /** Closed ones. */
  readonly closed: boolean
  readonly subjectIds: ReadonlyArray<number>
  /** Of these subjects only documents without operator. */
  readonly unassignedSubjectIds: ReadonlyArray<number>
  readonly participantIds: ReadonlyArray<number>
  /** Authors of tickets. */
  readonly authorIds: ReadonlyArray<number>
  /** Documents that are hidden whatever admits them. */
  readonly hiddenIds: ReadonlyArray<number>
}

/** All documents of the scope: only PostgreSQL decides. */
export const everyDocument: DocumentVisibility = {
  everything: true,
  closed: false,
  subjectIds: [],
  unassignedSubjectIds: [],
  participantIds: [],
  authorIds: [],
  hiddenIds: []
}

export interface DocumentQuery {
  readonly instanceId: number
  readonly scope: DocumentScope
  readonly visibility: DocumentVisibility
  /** Words to match, best first; null: the latest by createdAt, then id, both descending. */
  readonly query: string | null
  /** Half-open range of createdAt, epoch milliseconds. */
  readonly from: number | null
  readonly to: number | null
  /** At most this many documents. */
  readonly limit: number
  /** Best passages named of each; 0 without a query. */
  readonly passagesPerDocument: number
  /** Epoch milliseconds after which the answer is of no use. */
  readonly deadline: number
}

/** A text that matched; `score` in 0…1 compares passages of one answer. */
export interface DocumentPassage {
  /** Null: the heading. */
  readonly messageId: number | null
  readonly score: number
}

/** What the score of a candidate was estimated from. */
export interface ScoreParts {
  /** The score by which it was ranked. It compares only within one answer. */
  readonly ranking: number
  /** How much of it its best passage contributed; null if no passage was requested. */
  readonly passage: number | null
  /** `ranking` with the rarity of words in the whole instance; at most that of the previous candidate. */
  readonly weighed: number
  /** Words of the query that must match. */
  readonly words: number
  /** The share of these words that occurs in no text which the query may return. */
  readonly missing: number
}

export interface DocumentCandidate {
  readonly documentId: number
  /** 0…1, null without a query. Descending in the answer. */
  readonly score: number | null
  /** Absent without a query. */
  readonly parts?: ScoreParts
  /** Best first; empty without a query. */
  readonly passages: ReadonlyArray<DocumentPassage>
}

export interface DocumentsFound {
  readonly candidates: ReadonlyArray<DocumentCandidate>
  /** More than `limit` visible documents match. */
  readonly more: boolean
  /** Query words that occur in no text which the query may return, with their readings. */
  readonly readings: ReadonlyArray<Reading>
}

/** A search that fails, is interrupted or passes its deadline gives nothing rather than a part. */
export interface DocumentIndex {
  readonly search: (query: DocumentQuery) => Effect.Effect<DocumentsFound, SourceUnavailable>
  /** How far the projection of an instance is. `indexedAt`: commit time of the newest searchable change, epoch millis. */
  readonly status: (instanceId: number) => Effect.Effect<IndexStatus, SourceUnavailable>
}

export interface IndexStatus {
  /** False while it was never complete: a first build or a rebuild from nothing. */
  readonly ready: boolean
  /** Age of the oldest committed change that is not searchable, milliseconds; 0 when there is none. */
  readonly lagMillis: number
  readonly indexedAt: number
}
