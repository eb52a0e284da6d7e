// The projection of appeals into the evidence index.
import { AppealSource } from "@rapport/core/search/AppealSource.ts"
import { EvidenceProjection } from "@rapport/core/search/EvidenceProjection.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"
import { type IndexProjector, projectorOf } from "./IndexProjector.ts"

export const EVIDENCE = "evidence"

/** It runs as long as its layer. */
export class EvidenceProjector extends Context.Service<EvidenceProjector, IndexProjector>()(
  "@rapport/server/projection/EvidenceProjector"
) {
  static readonly layer: Layer.Layer<
    EvidenceProjector,
    never,
    AppealSource | EvidenceProjection | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    EvidenceProjector,
    Effect.gen(function* () {
      return yield* projectorOf(EVIDENCE, { index: yield* EvidenceProjection, source: yield* AppealSource })
    })
  )
  /** For an index that every process of the service shares: one of them writes. */
  static readonly sharedLayer: Layer.Layer<
    EvidenceProjector,
    never,
    AppealSource | EvidenceProjection | OutboxSignal | SqlClient.SqlClient
  > = Layer.effect(
    EvidenceProjector,
    Effect.gen(function* () {
      const writes = yield* projectionLease(EVIDENCE)
      return yield* projectorOf(EVIDENCE, {
        index: yield* EvidenceProjection,
        source: yield* AppealSource,
        writes
      })
    })
  )
}
