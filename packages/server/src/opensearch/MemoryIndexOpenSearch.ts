// The index of client memory in OpenSearch: a second evidence index with another name.
import { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import { Context, Effect, Layer } from "effect"
import { makeEvidenceIndex } from "./EvidenceIndexOpenSearch.ts"
import type { OpenSearch } from "./OpenSearch.ts"

export const MemoryIndexOpenSearch = {
  layer: (prefix: string): Layer.Layer<MemoryIndex | MemoryProjection, never, OpenSearch> =>
    Layer.effectContext(
      Effect.map(makeEvidenceIndex({ name: "client-memory", prefix }), ({ index, projection }) =>
        Context.make(MemoryIndex, index).pipe(Context.add(MemoryProjection, projection))
      )
    )
}
