// The embedded index of client memory: a second evidence index in its own folder, without reader threads, because its searches are small.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import { Context, Effect, Layer } from "effect"
import type { WorkerError } from "effect/workers"
import { EvidenceIndexSqlite, type IndexThreads } from "./EvidenceIndexSqlite.ts"

export const MemoryIndexSqlite = {
  layer: (
    folder: string,
    threads: IndexThreads = {}
  ): Layer.Layer<MemoryIndex | MemoryProjection, WorkerError.WorkerError> =>
    Layer.effectContext(
      Effect.map(
        Layer.build(Layer.fresh(EvidenceIndexSqlite.layer(folder, { ...threads, readersMax: 0 }))),
        (built) =>
          Context.make(MemoryIndex, Context.get(built, AppealIndex)).pipe(
            Context.add(MemoryProjection, Context.get(built, AppealProjection))
          )
      )
    )
}
