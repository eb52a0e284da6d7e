// The projection of appeals into the evidence index.
import { AppealSource } from "@rapport/core/search/AppealSource.ts"
import { EvidenceProjection } from "@rapport/core/search/EvidenceProjection.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { type IndexProjector, projectorOf } from "./IndexProjector.ts"

export const EVIDENCE = "evidence"

/** It runs as long as its layer. */
export class EvidenceProjector extends Context.Service<EvidenceProjector, IndexProjector>()(
  "@rapport/server/jobs/EvidenceProjector"
) {
  static readonly layer: Layer.Layer<
    EvidenceProjector,
    never,
    AppealSource | EvidenceProjection | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    EvidenceProjector,
    Effect.gen(function* () {
      return yield* projectorOf(EVIDENCE, yield* EvidenceProjection, yield* AppealSource)
    })
  )
}
