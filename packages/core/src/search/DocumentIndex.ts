// A search index over documents, of which there are two: appeals and client memory. It is a projection of PostgreSQL that
// finds candidates with their best passages and decides nothing: PostgreSQL re-checks them (contract §3.3).
import { type Effect, Schema } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { Reading } from "./text/Readings.ts"

const Ids = Schema.Array(Schema.Int)

/** The scope of a query: the documents of one client, subject, operator or skill group. */
export const DocumentScope = Schema.Union([
  Schema.TaggedStruct("Client", { clientId: Schema.Int }),
  Schema.TaggedStruct("Subject", { subjectId: Schema.Int }),
  /** Documents that a user took part in as operator. */
  Schema.TaggedStruct("Participant", { userId: Schema.Int }),
  /** Documents of any of the subjects, and those that any of the users took part in, whatever their subject. */
  Schema.TaggedStruct("Group", { subjectIds: Ids, userIds: Ids })
])
export type DocumentScope = typeof DocumentScope.Type

/** The visibility of the caller as a filter: a document passes if `everything` or any member admits it (contract §2) and none hides it. */
export const DocumentVisibility = Schema.Struct({
  everything: Schema.Boolean,
  /** Closed ones. */
  closed: Schema.Boolean,
  subjectIds: Ids,
  /** Of these subjects only documents without operator. */
  unassignedSubjectIds: Ids,
  participantIds: Ids,
  /** Authors of tickets. */
  authorIds: Ids,
  /** Documents that are hidden whatever admits them. */
  hiddenIds: Ids
})
export type DocumentVisibility = typeof DocumentVisibility.Type

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

export const DocumentQuery = Schema.Struct({
  instanceId: Schema.Int,
  scope: DocumentScope,
  visibility: DocumentVisibility,
  /** Words to match, best first; null: the latest by createdAt, then id, both descending. */
  query: Schema.NullOr(Schema.String),
  /** Half-open range of createdAt, epoch milliseconds. */
  from: Schema.NullOr(Schema.Int),
  to: Schema.NullOr(Schema.Int),
  /** At most this many documents. */
  limit: Schema.Int,
  /** Best passages named of each; 0 without a query. */
  passagesPerDocument: Schema.Int,
  /** Epoch milliseconds after which the answer is of no use. */
  deadline: Schema.Int
})
export type DocumentQuery = typeof DocumentQuery.Type

/** A text that matched; `score` in 0…1 compares passages of one answer. */
export const DocumentPassage = Schema.Struct({
  /** Null: the heading. */
  messageId: Schema.NullOr(Schema.Int),
  score: Schema.Finite
})
export type DocumentPassage = typeof DocumentPassage.Type

/** The inputs from which the score of a candidate was estimated. */
export const ScoreParts = Schema.Struct({
  /** The score by which it was ranked. It compares only within one answer. */
  ranking: Schema.Finite,
  /** How much of it its best passage contributed; null if no passage was requested. */
  passage: Schema.NullOr(Schema.Finite),
  /** `ranking` with the rarity of words in the whole instance; at most that of the previous candidate. */
  weighed: Schema.Finite,
  /** Words of the query that must match. */
  words: Schema.Int,
  /** The share of these words that occurs in no text which the query may return. */
  missing: Schema.Finite
})
export type ScoreParts = typeof ScoreParts.Type

export const DocumentCandidate = Schema.Struct({
  documentId: Schema.Int,
  /** 0…1, null without a query. Descending in the answer. */
  score: Schema.NullOr(Schema.Finite),
  /** Absent without a query. */
  parts: Schema.optionalKey(ScoreParts),
  /** Best first; empty without a query. */
  passages: Schema.Array(DocumentPassage)
})
export type DocumentCandidate = typeof DocumentCandidate.Type

export const DocumentsFound = Schema.Struct({
  candidates: Schema.Array(DocumentCandidate),
  /** More than `limit` visible documents match. */
  more: Schema.Boolean,
  /** Query words that occur in no text which the query may return, with their readings. */
  readings: Schema.Array(Reading)
})
export type DocumentsFound = typeof DocumentsFound.Type

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
