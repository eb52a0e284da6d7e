// The search indexes of a process with their projectors: in OpenSearch if it is configured, else SQLite in the data folder.
import { type AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import { type MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Layer, Option, Schedule } from "effect"
import type { WorkerError } from "effect/workers"
import * as path from "node:path"
import type { OpenSearchSettings, Settings } from "../Config.ts"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as MemorySourcePostgres from "../postgres/memory/MemorySourcePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import {
  EvidenceProjector,
  evidenceProjectorLayer,
  type IndexProjector,
  MemoryProjector,
  memoryProjectorLayer
} from "../projection/ProjectorLayers.ts"
import { progress } from "../start/Progress.ts"
import { EvidenceIndexSqlite, MemoryIndexSqlite } from "../sqlite/EvidenceIndexSqlite.ts"

type Indexes = AppealIndex | AppealProjection | MemoryIndex | MemoryProjection

/** Both indexes. They need no database, so they open in parallel with it. SQLite files need a locked data folder. */
export const indexesLayer = ({
  dataDir,
  openSearch
}: SearchSettings): Layer.Layer<Indexes, WorkerError.WorkerError> =>
  openSearch === undefined ? embeddedIndexesLayer(dataDir) : sharedIndexesLayer(openSearch)

type SearchSettings = Pick<Settings, "dataDir" | "openSearch">

const embeddedIndexesLayer = (dataDir: string) =>
  Layer.merge(
    EvidenceIndexSqlite.layer(path.join(dataDir, "index")),
    MemoryIndexSqlite.layer(path.join(dataDir, "memory-index"))
  )

// Loaded here, because the client of OpenSearch takes 6 MiB.
const sharedIndexesLayer = (settings: OpenSearchSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../opensearch/EvidenceIndexOpenSearch.ts")),
      (indexes) => indexes.sharedIndexesLayer(settings)
    )
  )

/** The projectors of both indexes. They need a migrated and seeded database. */
export const projectorsLayer = ({ openSearch }: Pick<Settings, "openSearch">) =>
  Layer.merge(
    evidenceProjectorLayer(openSearch !== undefined),
    memoryProjectorLayer(openSearch !== undefined)
  ).pipe(
    Layer.provide([AppealSourcePostgres.layer, MemorySourcePostgres.layer]),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )

/** Indexes with their projectors. */
export const searchLayer = (settings: SearchSettings) =>
  Layer.provideMerge(projectorsLayer(settings), indexesLayer(settings))

/**
 * Waits until everything committed is searchable, or the index has not answered for SILENT_MILLIS_MAX, and shows the progress.
 * The last step of a seed (contract §11).
 */
export const awaitIndexed = Effect.gen(function* () {
  const isIndexed =
    (yield* awaitOne(yield* EvidenceProjector, yield* AppealProjection, "indexing", "appeals")) &&
    (yield* awaitOne(yield* MemoryProjector, yield* MemoryProjection, "indexing client memory", "entries"))
  if (isIndexed) return
  yield* Effect.logWarning(
    `the search index has not answered for ${SILENT_MILLIS_MAX / 1_000} s: seeded data is indexed when it is available`
  )
})

const SILENT_MILLIS_MAX = 10_000
const SILENT_POLL_MILLIS = 250

const awaitOne = Effect.fnUntraced(function* (
  projector: IndexProjector,
  index: DocumentProjection,
  what: string,
  unit: string
) {
  const { finished, reached } = yield* progress(what, unit)
  const answer = Effect.retry(index.checkpoints("active"), {
    schedule: Schedule.spaced(SILENT_POLL_MILLIS)
  })
  const silent = Effect.repeat(Effect.timeoutOption(answer, SILENT_MILLIS_MAX), {
    schedule: Schedule.spaced(SILENT_POLL_MILLIS),
    while: Option.isSome
  })
  const isIndexed = yield* Effect.raceFirst(
    Effect.as(projector.caughtUp(reached), true),
    Effect.as(silent, false)
  )
  if (isIndexed) yield* finished
  return isIndexed
})
