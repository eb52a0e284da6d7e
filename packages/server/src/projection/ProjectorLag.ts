// The exact lag of an instance: that of the index which is further behind.
import { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import { Effect, Layer } from "effect"
import { EvidenceProjector } from "./EvidenceProjector.ts"
import { MemoryProjector } from "./MemoryProjector.ts"

export const layer: Layer.Layer<IndexLag, never, EvidenceProjector | MemoryProjector> = Layer.effect(
  IndexLag,
  Effect.gen(function* () {
    const projectors = [yield* EvidenceProjector, yield* MemoryProjector]
    return IndexLag.of({
      millis: (instanceId) =>
        Effect.map(
          Effect.forEach(projectors, (one) => one.readiness(instanceId), { concurrency: "unbounded" }),
          (found) => Math.max(...found.map((one) => Math.round(one.lagMillis)))
        )
    })
  })
)
