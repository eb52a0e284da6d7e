// The projectors of the service: appeals into the evidence index, client memory into its own.
import { projectionKinds } from "../postgres/outbox/ProjectionKinds.ts"
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { AppealProjection, AppealSource } from "@rapport/core/appeals/AppealIndex.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { MemoryProjection, MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"
import { type Projection, runProjection } from "./Projection.ts"
import { positionOf } from "./ProjectionProgress.ts"
import { statusOf } from "./ProjectionStatus.ts"

/** The state of an index, as the readiness route shows it (contract §3.4). */
interface IndexReadiness {
  readonly ready: boolean
  /** 0 exactly when every committed change is searchable, else the age of the oldest unsearchable change. */
  readonly lagMillis: number
  readonly quarantined: number
}

/** The progress of indexing, in documents of all instances. */
export interface IndexProgress {
  readonly built: number
  readonly total: number
}

/** The readiness of an index that a projector keeps up to date. */
export interface IndexProjector {
  /** Exact: it queries the database. An unknown `instanceId` is never ready. */
  readonly readiness: (instanceId: number) => Effect.Effect<IndexReadiness, SourceUnavailable>
  /** Returns when everything committed before the call is searchable; reports its progress regularly. */
  readonly caughtUp: <E, R>(
    report: (progress: IndexProgress) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E, R>
}

/** Projectors run as long as their layers. */
export class EvidenceProjector extends Context.Service<EvidenceProjector, IndexProjector>()(
  "@rapport/server/projection/EvidenceProjector"
) {}
export class MemoryProjector extends Context.Service<MemoryProjector, IndexProjector>()(
  "@rapport/server/projection/MemoryProjector"
) {}

/**
 * Runs until the scope closes. `kind` is that of the rows in outbox, quarantine, status and rebuilds. `shared`: all processes share the
 * index, and one of them writes.
 */
const projector = Effect.fnUntraced(function* <P, S>(
  kind: string,
  projection: Context.Service<P, DocumentProjection>,
  documents: Context.Service<S, DocumentSource>,
  shared: boolean
): Effect.fn.Return<IndexProjector, never, P | S | OutboxSignal | SqlClient.SqlClient | Scope.Scope> {
  const signal = yield* OutboxSignal
  const running = yield* runProjection({
    kind,
    index: yield* projection,
    source: yield* documents,
    firstPollMillisMax: shared ? FIRST_SHARED_POLL_MILLIS_MAX : FIRST_POLL_MILLIS_MAX,
    writes: shared ? yield* projectionLease(kind) : Effect.succeed(true)
  })
  return {
    readiness: (instanceId) => readiness(running, instanceId),
    caughtUp: (report) => Effect.andThen(signal.notify, caughtUp(running, report))
  }
})

export const evidenceProjectorLayer = (shared: boolean) =>
  Layer.effect(EvidenceProjector, projector(projectionKinds.evidence, AppealProjection, AppealSource, shared))

export const memoryProjectorLayer = (shared: boolean) =>
  Layer.effect(
    MemoryProjector,
    projector(projectionKinds["client-memory"], MemoryProjection, MemorySource, shared)
  )

/** The exact lag of an instance: the larger one of its two indexes. */
export const indexLagLayer: Layer.Layer<IndexLag, never, EvidenceProjector | MemoryProjector> = Layer.effect(
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

// An embedded index answers as soon as its thread runs; a shared one may be unavailable.
const FIRST_POLL_MILLIS_MAX = 15_000
const FIRST_SHARED_POLL_MILLIS_MAX = 2_000

const beginning = { xid: "0", id: "0" }

const readiness = Effect.fnUntraced(function* (projection: Projection, instanceId: number) {
  const { outbox } = projection
  const found = yield* projection.progress(instanceId)
  // The progress counts only if the index belongs to the present state of the database.
  const progress = projection.state.trusted ? found : undefined
  const position = progress === undefined ? beginning : positionOf(progress.checkpoint)
  const { lag, quarantined } = yield* outbox.lag(instanceId, position)
  const now = yield* Clock.currentTimeMillis
  // The outbox does not show a running scan.
  const scan = progress?.checkpoint.scan
  const lagMillis = scan ? Math.max(1, lag, now - scan.since) : lag
  return { ready: progress?.stored.complete === true, lagMillis, quarantined }
})

const CAUGHT_UP_POLL_MILLIS = 50

const caughtUp = Effect.fnUntraced(function* <E, R>(
  { state }: Projection,
  report: (progress: IndexProgress) => Effect.Effect<void, E, R>
) {
  const from = state.polls
  while (state.idlePoll <= from || state.building !== undefined) {
    const statuses = statusOf(state, yield* Clock.currentTimeMillis)
    yield* report({
      built: statuses.reduce((sum, one) => sum + one.built, 0),
      total: statuses.reduce((sum, one) => sum + one.total, 0)
    })
    yield* Effect.sleep(CAUGHT_UP_POLL_MILLIS)
  }
})
