// The search indexes of a process and what keeps them in step: shared in OpenSearch where the settings name one, else its own
// in the data folder. Every one needs a migrated and seeded database.
import type { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import type { PgClient } from "@effect/sql-pg"
import type { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import type { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import type { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { WorkerError } from "effect/workers"
import * as path from "node:path"
import type { ConfigError, OpenSearchSettings, Settings } from "../Config.ts"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as MemorySourcePostgres from "../postgres/memory/MemorySourcePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { outboxSweepLayer } from "../projection/Sweeps.ts"
import {
  EvidenceProjector,
  evidenceProjectorLayer,
  type IndexProgress,
  type IndexProjector,
  MemoryProjector,
  memoryProjectorLayer
} from "../projection/ProjectorLayers.ts"
import { progress } from "../seed/Progress.ts"
import { EvidenceIndexSqlite, type IndexThreads } from "../sqlite/EvidenceIndexSqlite.ts"
import { MemoryIndexSqlite } from "../sqlite/MemoryIndexSqlite.ts"

type SearchServices =
  | AppealIndex
  | AppealProjection
  | EvidenceProjector
  | MemoryIndex
  | MemoryProjection
  | MemoryProjector
  | OutboxSignal
  | DeliverySignal
  | BroadcastSignal

/** In the data folder where no OpenSearch is named; this process then holds the folder. */
export const searchLayer = ({
  dataDir,
  openSearch,
  telemetry
}: Settings): Layer.Layer<
  SearchServices,
  ConfigError | WorkerError.WorkerError,
  PgClient.PgClient | SqlClient.SqlClient
> => (openSearch === undefined ? embeddedLayer(dataDir, { telemetry }) : sharedSearchLayer(openSearch))

/** Appeals in the data folder, which this process alone holds. Searches answer once the index is built. */
export const embeddedSearchLayer = (
  dataDir: string,
  threads: IndexThreads = {}
): Layer.Layer<
  AppealIndex | AppealProjection | EvidenceProjector | OutboxSignal | DeliverySignal | BroadcastSignal,
  WorkerError.WorkerError,
  PgClient.PgClient | SqlClient.SqlClient
> =>
  Layer.mergeAll(evidenceProjectorLayer(false), outboxSweepLayer).pipe(
    Layer.provideMerge(EvidenceIndexSqlite.layer(path.join(dataDir, "index"), threads)),
    Layer.provide(AppealSourcePostgres.layer),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )

/** Client memory in the data folder; it shares the notifications of the other. */
export const embeddedMemoryLayer = (
  dataDir: string,
  threads: IndexThreads = {}
): Layer.Layer<
  MemoryIndex | MemoryProjection | MemoryProjector,
  WorkerError.WorkerError,
  OutboxSignal | SqlClient.SqlClient
> =>
  memoryProjectorLayer(false).pipe(
    Layer.provideMerge(MemoryIndexSqlite.layer(path.join(dataDir, "memory-index"), threads)),
    Layer.provide(MemorySourcePostgres.layer)
  )

const embeddedLayer = (dataDir: string, threads: IndexThreads) =>
  Layer.provideMerge(embeddedMemoryLayer(dataDir, threads), embeddedSearchLayer(dataDir, threads))

/** Two indexes that every process of the service shares. An OpenSearch that is away stops nothing but searches. */
export const sharedSearchLayer = (
  settings: OpenSearchSettings
): Layer.Layer<SearchServices, ConfigError, PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.mergeAll(evidenceProjectorLayer(true), memoryProjectorLayer(true), outboxSweepLayer).pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../opensearch/SharedIndexes.ts")),
          ({ sharedIndexesLayer }) => sharedIndexesLayer(settings)
        )
      )
    ),
    Layer.provide([AppealSourcePostgres.layer, MemorySourcePostgres.layer]),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )

/**
 * Everything that was committed is searchable, or the index has not answered for SILENT_MILLIS_MAX: a seed ends with it
 * (docs/contract.md §11). Shows its progress.
 */
export const awaitIndexed = Effect.gen(function* () {
  const isIndexed =
    (yield* awaitOne(yield* EvidenceProjector, "indexing", "appeals")) &&
    (yield* awaitOne(yield* MemoryProjector, "indexing client memory", "entries"))
  if (isIndexed) return
  yield* Effect.logWarning(
    `the search index has not answered for ${SILENT_MILLIS_MAX / 1_000} s: what was seeded is indexed when it comes`
  )
})

const SILENT_MILLIS_MAX = 10_000
const SILENT_POLL_MILLIS = 250

const awaitOne = Effect.fnUntraced(function* (projector: IndexProjector, what: string, unit: string) {
  const { finished, reached } = yield* progress(what, unit)
  let built = -1
  // A count that does not grow is shown once.
  const grown = (at: IndexProgress) => {
    if (at.built <= built) return Effect.void
    built = at.built
    return reached(at)
  }
  const silent = Effect.repeat(Effect.delay(projector.silentMillis, SILENT_POLL_MILLIS), {
    until: (millis) => millis >= SILENT_MILLIS_MAX
  })
  const isIndexed = yield* Effect.raceFirst(
    Effect.as(projector.caughtUp(grown), true),
    Effect.as(silent, false)
  )
  if (isIndexed) yield* finished
  return isIndexed
})
