// The RPC between the service and the threads of the embedded index.
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

const Candidate = Schema.Struct({
  documentId: Schema.Int,
  score: Schema.NullOr(Schema.Finite),
  parts: Schema.optionalKey(
    Schema.Struct({
      ranking: Schema.Finite,
      passage: Schema.NullOr(Schema.Finite),
      weighed: Schema.Finite,
      words: Schema.Int,
      missing: Schema.Finite
    })
  ),
  passages: Schema.Array(Schema.Struct({ messageId: NullableInt, score: Schema.Finite }))
})

const Found = Schema.Struct({
  candidates: Schema.Array(Candidate),
  more: Schema.Boolean,
  readings: Schema.Array(
    Schema.Struct({
      word: Schema.String,
      readAs: Schema.String,
      why: Schema.Literals(["layout", "transliteration", "spelling"])
    })
  )
})

const Text = Schema.Struct({
  id: Schema.Int,
  speaker: Schema.NullOr(Schema.String),
  text: Schema.String
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
  texts: Schema.NullOr(Schema.Array(Text))
})

const Change = Schema.Union([
  Schema.TaggedStruct("Upsert", { document: Document }),
  Schema.TaggedStruct("Removal", { documentId: Schema.Int, revision: Schema.Int })
])

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
