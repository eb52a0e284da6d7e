// The RPC between the service and the thread of an embedded index.
import { DocumentQuery, DocumentsFound } from "@rapport/core/search/DocumentIndex.ts"
import { DocumentChange } from "@rapport/core/search/DocumentProjection.ts"
import {
  IndexCheckpoint,
  IndexCheckpointMoved,
  IndexCopy,
  IndexStep
} from "@rapport/core/search/IndexCheckpoint.ts"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

/** The index cannot answer; `reason` is that of contract §3.4, `detail` is only for logs. */
export class IndexFault extends Schema.TaggedError<IndexFault>()("IndexFault", {
  reason: Schema.Literals(["timeout", "search_index_not_ready", "search_index_unavailable"]),
  detail: Schema.String
}) {}

export class IndexRpc extends RpcGroup.make(
  Rpc.make("Search", { payload: DocumentQuery, success: DocumentsFound, error: IndexFault }),
  Rpc.make("Checkpoints", {
    payload: { copy: IndexCopy },
    success: Schema.Struct({ checkpoints: Schema.Array(IndexCheckpoint), outdated: Schema.Boolean }),
    error: IndexFault
  }),
  Rpc.make("Apply", {
    payload: { step: IndexStep, changes: Schema.Array(DocumentChange) },
    error: Schema.Union([IndexFault, IndexCheckpointMoved])
  }),
  Rpc.make("Reset", { payload: { copy: IndexCopy }, error: IndexFault }),
  Rpc.make("Publish", { error: IndexFault }),
  Rpc.make("Purge", { error: IndexFault })
) {}
