// What the service says to the thread that holds the embedded index. Lists travel as columns: one array of numbers or
// texts is checked and copied far faster than as many objects.
import type { EvidenceChange, EvidenceDocument } from "@rapport/core/search/EvidenceProjection.ts"
import type { EvidenceFound } from "@rapport/core/search/EvidenceIndex.ts"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

const Ids = Schema.Array(Schema.Int)
const NullableInt = Schema.NullOr(Schema.Int)

const Scope = Schema.Union([
  Schema.TaggedStruct("Client", { clientId: Schema.Int }),
  Schema.TaggedStruct("Subject", { subjectId: Schema.Int }),
  Schema.TaggedStruct("Participant", { userId: Schema.Int }),
  Schema.TaggedStruct("Subjects", { subjectIds: Ids }),
  Schema.TaggedStruct("Participants", { userIds: Ids })
])

const Query = Schema.Struct({
  instanceId: Schema.Int,
  scope: Scope,
  visibility: Schema.Struct({
    everything: Schema.Boolean,
    closed: Schema.Boolean,
    subjectIds: Ids,
    unassignedSubjectIds: Ids,
    participantIds: Ids,
    authorIds: Ids
  }),
  query: Schema.NullOr(Schema.String),
  from: NullableInt,
  to: NullableInt,
  limit: Schema.Int,
  passagesPerAppeal: Schema.Int,
  deadline: Schema.Int
})

/** Passages of all appeals one after the other; `counts` says how many belong to each. */
const Found = Schema.Struct({
  appealIds: Ids,
  scores: Schema.Array(Schema.NullOr(Schema.Finite)),
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

const Messages = Schema.Struct({
  ids: Ids,
  authorTypes: Schema.Array(Schema.Literals(["client", "operator", "bot", "system"])),
  speakers: Schema.Array(Schema.NullOr(Schema.String)),
  texts: Schema.Array(Schema.String),
  times: Ids
})

const Document = Schema.Struct({
  appealId: Schema.Int,
  revision: Schema.Int,
  kind: Schema.Literals(["chat", "ticket"]),
  clientId: Schema.Int,
  subjectId: NullableInt,
  operatorId: NullableInt,
  operatorIds: Ids,
  authorId: NullableInt,
  closed: Schema.Boolean,
  createdAt: Schema.Int,
  messageCount: Schema.Int,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  messages: Schema.NullOr(Messages)
})

const Change = Schema.Union([
  Schema.TaggedStruct("Upsert", { document: Document }),
  Schema.TaggedStruct("Removal", { appealId: Schema.Int, revision: Schema.Int })
])
type Change = typeof Change.Type

const Copy = Schema.Literals(["active", "building"])

const Mark = Schema.Struct({
  instanceId: Schema.Int,
  checkpoint: Schema.String,
  complete: Schema.Boolean,
  indexedAt: Schema.Int
})

const Step = Schema.Struct({ copy: Copy, from: Schema.NullOr(Schema.String), to: Mark })

/** The index cannot answer; `reason` is that of docs/contract.md §3.4, `detail` for logs alone. */
export class IndexFault extends Schema.TaggedError<IndexFault>()("IndexFault", {
  reason: Schema.Literals(["timeout", "search_index_not_ready", "search_index_unavailable"]),
  detail: Schema.String
}) {}

/** `IndexCheckpointMoved` on its way between threads. */
export class IndexMoved extends Schema.TaggedError<IndexMoved>()("IndexMoved", { instanceId: Schema.Int }) {}

export class IndexRpc extends RpcGroup.make(
  Rpc.make("Search", { payload: Query, success: Found, error: IndexFault }),
  Rpc.make("Marks", { payload: { copy: Copy }, success: Schema.Array(Mark), error: IndexFault }),
  Rpc.make("Apply", {
    payload: { step: Step, changes: Schema.Array(Change) },
    error: Schema.Union([IndexFault, IndexMoved])
  }),
  Rpc.make("Reset", { payload: { copy: Copy }, error: IndexFault }),
  Rpc.make("Publish", { error: IndexFault })
) {}

export const packFound = ({ candidates, more, readings }: EvidenceFound): typeof Found.Type => {
  const passages = candidates.flatMap((one) => one.passages)
  return {
    appealIds: candidates.map((one) => one.appealId),
    scores: candidates.map((one) => one.score),
    counts: candidates.map((one) => one.passages.length),
    messageIds: passages.map((one) => one.messageId),
    messageScores: passages.map((one) => one.score),
    more,
    readings
  }
}

export const unpackFound = (found: typeof Found.Type): EvidenceFound => {
  let next = 0
  return {
    candidates: found.appealIds.map((appealId, at) => {
      const from = next
      next += found.counts[at] ?? 0
      const passages = found.messageIds
        .slice(from, next)
        .map((messageId, i) => ({ messageId, score: found.messageScores[from + i] ?? 0 }))
      return { appealId, score: found.scores[at] ?? null, passages }
    }),
    more: found.more,
    readings: found.readings
  }
}

export const packChange = (change: EvidenceChange): Change => {
  if (change._tag === "Removal") return change
  const { messages, ...header } = change.document
  if (messages === null) return { _tag: "Upsert", document: { ...header, messages } }
  return {
    _tag: "Upsert",
    document: {
      ...header,
      messages: {
        ids: messages.map((one) => one.id),
        authorTypes: messages.map((one) => one.authorType),
        speakers: messages.map((one) => one.speaker),
        texts: messages.map((one) => one.text),
        times: messages.map((one) => one.occurredAt)
      }
    }
  }
}

export const unpackChange = (change: Change): EvidenceChange => {
  if (change._tag === "Removal") return change
  const { messages, ...header } = change.document
  const document: EvidenceDocument = {
    ...header,
    messages:
      messages === null
        ? null
        : messages.ids.map((id, at) => ({
            id,
            authorType: messages.authorTypes[at] ?? "system",
            speaker: messages.speakers[at] ?? null,
            text: messages.texts[at] ?? "",
            occurredAt: messages.times[at] ?? 0
          }))
  }
  return { _tag: "Upsert", document }
}
