// The RPC between the service and the threads of the embedded index. Lists are sent as columns: an array of numbers is validated
// and copied far faster than as many objects.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import type { DocumentsFound } from "@rapport/core/search/DocumentIndex.ts"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

const Ids = Schema.Array(Schema.Int)
const NullableInt = Schema.NullOr(Schema.Int)

const Scope = Schema.Union([
  Schema.TaggedStruct("Client", { clientId: Schema.Int }),
  Schema.TaggedStruct("Subject", { subjectId: Schema.Int }),
  Schema.TaggedStruct("Participant", { userId: Schema.Int }),
  Schema.TaggedStruct("Group", { subjectIds: Ids, userIds: Ids })
])

export const Query = Schema.Struct({
  instanceId: Schema.Int,
  scope: Scope,
  visibility: Schema.Struct({
    everything: Schema.Boolean,
    closed: Schema.Boolean,
    subjectIds: Ids,
    unassignedSubjectIds: Ids,
    participantIds: Ids,
    authorIds: Ids,
    hiddenIds: Ids
  }),
  query: Schema.NullOr(Schema.String),
  from: NullableInt,
  to: NullableInt,
  limit: Schema.Int,
  passagesPerDocument: Schema.Int,
  deadline: Schema.Int
})

/** Passages of all appeals in sequence; `counts` is the number of passages of each. */
export const Found = Schema.Struct({
  documentIds: Ids,
  scores: Schema.Array(Schema.NullOr(Schema.Finite)),
  /** Of each candidate; empty without a query. */
  rankings: Schema.Array(Schema.Finite),
  bestPassages: Schema.Array(Schema.NullOr(Schema.Finite)),
  words: Schema.Int,
  missing: Schema.Finite,
  counts: Ids,
  messageIds: Schema.Array(NullableInt),
  messageScores: Schema.Array(Schema.Finite),
  more: Schema.Boolean,
  readings: Schema.Array(
    Schema.Struct({
      word: Schema.String,
      readAs: Schema.String,
      why: Schema.Literals(["layout", "transliteration", "spelling"])
    })
  )
})

const Texts = Schema.Struct({
  ids: Ids,
  speakers: Schema.Array(Schema.NullOr(Schema.String)),
  texts: Schema.Array(Schema.String)
})

const Document = Schema.Struct({
  documentId: Schema.Int,
  revision: Schema.Int,
  clientId: Schema.Int,
  subjectId: NullableInt,
  operatorId: NullableInt,
  operatorIds: Ids,
  authorId: NullableInt,
  closed: Schema.Boolean,
  createdAt: Schema.Int,
  heading: Schema.NullOr(Schema.String),
  texts: Schema.NullOr(Texts)
})

const Change = Schema.Union([
  Schema.TaggedStruct("Upsert", { document: Document }),
  Schema.TaggedStruct("Removal", { documentId: Schema.Int, revision: Schema.Int })
])
type Change = typeof Change.Type

const Copy = Schema.Literals(["active", "building"])

const Checkpoint = Schema.Struct({
  instanceId: Schema.Int,
  checkpoint: Schema.String,
  complete: Schema.Boolean,
  indexedAt: Schema.Int
})

const Step = Schema.Struct({ copy: Copy, from: Schema.NullOr(Schema.String), to: Checkpoint })

/** The index cannot answer; `reason` is that of contract §3.4, `detail` is only for logs. */
export class IndexFault extends Schema.TaggedError<IndexFault>()("IndexFault", {
  reason: Schema.Literals(["timeout", "search_index_not_ready", "search_index_unavailable"]),
  detail: Schema.String
}) {}

/** `IndexCheckpointMoved` as an RPC error. */
export class IndexMoved extends Schema.TaggedError<IndexMoved>()("IndexMoved", { instanceId: Schema.Int }) {}

const search = Rpc.make("Search", { payload: Query, success: Found, error: IndexFault })

/** The RPC of a reader thread. */
export class ReaderRpc extends RpcGroup.make(Rpc.make("Ready"), search) {}

export class IndexRpc extends RpcGroup.make(
  search,
  Rpc.make("Checkpoints", {
    payload: { copy: Copy },
    success: Schema.Struct({ checkpoints: Schema.Array(Checkpoint), outdated: Schema.Boolean }),
    error: IndexFault
  }),
  Rpc.make("Apply", {
    payload: { step: Step, changes: Schema.Array(Change) },
    error: Schema.Union([IndexFault, IndexMoved])
  }),
  Rpc.make("Reset", { payload: { copy: Copy }, error: IndexFault }),
  Rpc.make("Publish", { error: IndexFault }),
  Rpc.make("Purge", { error: IndexFault })
) {}

export const packFound = ({ candidates, more, readings }: DocumentsFound): typeof Found.Type => {
  const passages = candidates.flatMap((one) => one.passages)
  const parts = candidates.flatMap((one) => one.parts ?? [])
  return {
    documentIds: candidates.map((one) => one.documentId),
    scores: candidates.map((one) => one.score),
    rankings: parts.map((one) => one.ranking),
    bestPassages: parts.map((one) => one.passage),
    words: parts[0]?.words ?? 0,
    missing: parts[0]?.missing ?? 0,
    counts: candidates.map((one) => one.passages.length),
    messageIds: passages.map((one) => one.messageId),
    messageScores: passages.map((one) => one.score),
    more,
    readings
  }
}

export const unpackFound = (found: typeof Found.Type): DocumentsFound => {
  let next = 0
  return {
    candidates: found.documentIds.map((documentId, at) => {
      const from = next
      next += found.counts[at] ?? 0
      const passages = found.messageIds
        .slice(from, next)
        .map((messageId, i) => ({ messageId, score: found.messageScores[from + i] ?? 0 }))
      const ranking = found.rankings[at]
      const parts =
        ranking === undefined
          ? {}
          : {
              parts: {
                ranking,
                passage: found.bestPassages[at] ?? null,
                words: found.words,
                missing: found.missing
              }
            }
      return { documentId, score: found.scores[at] ?? null, ...parts, passages }
    }),
    more: found.more,
    readings: found.readings
  }
}

export const packChange = (change: DocumentChange): Change => {
  if (change._tag === "Removal") return change
  const { texts, ...header } = change.document
  if (texts === null) return { _tag: "Upsert", document: { ...header, texts } }
  return {
    _tag: "Upsert",
    document: {
      ...header,
      texts: {
        ids: texts.map((one) => one.id),
        speakers: texts.map((one) => one.speaker),
        texts: texts.map((one) => one.text)
      }
    }
  }
}

/** Sorts by appeal: FTS5 begins a new segment for every row that is not ascending. */
export const inRowOrder = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const idOf = (change: Change) =>
    change._tag === "Removal" ? change.documentId : change.document.documentId
  return changes.toSorted((a, b) => idOf(a) - idOf(b))
}

export const unpackChange = (change: Change): DocumentChange => {
  if (change._tag === "Removal") return change
  const { texts, ...header } = change.document
  const document: IndexedDocument = {
    ...header,
    texts:
      texts === null
        ? null
        : texts.ids.map((id, at) => ({
            id,
            speaker: texts.speakers[at] ?? null,
            text: texts.texts[at] ?? ""
          }))
  }
  return { _tag: "Upsert", document }
}
