// The projection of client memory into its index: the same machinery, other documents (docs/contract.md §5).
import { MemoryProjection, MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"
import { type IndexProjector, projectorOf } from "./IndexProjector.ts"

export const CLIENT_MEMORY = "client_memory"

/** It runs as long as its layer. */
export class MemoryProjector extends Context.Service<MemoryProjector, IndexProjector>()(
  "@rapport/server/projection/MemoryProjector"
) {
  static readonly layer: Layer.Layer<
    MemoryProjector,
    never,
    MemoryProjection | MemorySource | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    MemoryProjector,
    Effect.gen(function* () {
      return yield* projectorOf(CLIENT_MEMORY, {
        index: yield* MemoryProjection,
        source: yield* MemorySource
      })
    })
  )
  /** For an index that every process of the service shares: one of them writes. */
  static readonly sharedLayer: Layer.Layer<
    MemoryProjector,
    never,
    MemorySource | MemoryProjection | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    MemoryProjector,
    Effect.gen(function* () {
      const writes = yield* projectionLease(CLIENT_MEMORY)
      return yield* projectorOf(CLIENT_MEMORY, {
        index: yield* MemoryProjection,
        source: yield* MemorySource,
        writes
      })
    })
  )
}
