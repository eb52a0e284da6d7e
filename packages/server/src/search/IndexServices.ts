// An index with its projection, as the services of appeals or of client memory.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import type { DocumentIndex } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { Context, Effect, Layer } from "effect"

interface MadeIndex {
  readonly index: DocumentIndex
  readonly projection: DocumentProjection
}

export const appealIndexLayer = <E, R>(make: Effect.Effect<MadeIndex, E, R>) =>
  Layer.effectContext(
    Effect.map(make, ({ index, projection }) =>
      Context.make(AppealIndex, index).pipe(Context.add(AppealProjection, projection))
    )
  )

export const memoryIndexLayer = <E, R>(make: Effect.Effect<MadeIndex, E, R>) =>
  Layer.effectContext(
    Effect.map(make, ({ index, projection }) =>
      Context.make(MemoryIndex, index).pipe(Context.add(MemoryProjection, projection))
    )
  )
