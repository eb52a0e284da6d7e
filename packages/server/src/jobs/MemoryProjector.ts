// The projection of client memory into its index: the same machinery, other documents (docs/contract.md §5).
import { MemoryProjection, MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { type IndexProjector, projectorOf } from "./IndexProjector.ts"

export const CLIENT_MEMORY = "client_memory"

/** It runs as long as its layer. */
export class MemoryProjector extends Context.Service<MemoryProjector, IndexProjector>()(
  "@rapport/server/jobs/MemoryProjector"
) {
  static readonly layer: Layer.Layer<
    MemoryProjector,
    never,
    MemoryProjection | MemorySource | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    MemoryProjector,
    Effect.gen(function* () {
      return yield* projectorOf(CLIENT_MEMORY, yield* MemoryProjection, yield* MemorySource)
    })
  )
}
