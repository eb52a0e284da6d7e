// The embedded search in one layer: the index in the data folder, what keeps it in step, and pokes between processes.
import type { PgClient } from "@effect/sql-pg"
import type { EvidenceIndex } from "@rapport/core/search/EvidenceIndex.ts"
import type { EvidenceProjection } from "@rapport/core/search/EvidenceProjection.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { WorkerError } from "effect/workers"
import * as path from "node:path"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { EvidenceIndexSqlite, type IndexThreads } from "../sqlite/EvidenceIndexSqlite.ts"
import type { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import * as MemorySourcePostgres from "../postgres/memory/MemorySourcePostgres.ts"
import { MemoryIndexSqlite } from "../sqlite/MemoryIndexSqlite.ts"
import { MemoryProjector } from "../projection/MemoryProjector.ts"
import { EvidenceProjector } from "../projection/EvidenceProjector.ts"
import type { SearchParts } from "./SharedSearch.ts"
import * as OutboxSweep from "../projection/OutboxSweep.ts"

/** The same for client memory; it shares the pokes of the other. */
export const embeddedMemoryLayer = (
  dataDir: string,
  threads: IndexThreads = {}
): Layer.Layer<
  MemoryIndex | MemoryProjection | MemoryProjector,
  WorkerError.WorkerError,
  OutboxSignal | SqlClient.SqlClient
> =>
  MemoryProjector.layer.pipe(
    Layer.provideMerge(MemoryIndexSqlite.layer(path.join(dataDir, "memory-index"), threads)),
    Layer.provide(MemorySourcePostgres.layer)
  )

/** Needs a migrated and seeded database; `dataDir` is held by this process alone. Searches answer once it is built. */
export const embeddedSearchLayer = (
  dataDir: string,
  threads: IndexThreads = {}
): Layer.Layer<
  EvidenceIndex | EvidenceProjection | EvidenceProjector | OutboxSignal,
  WorkerError.WorkerError,
  PgClient.PgClient | SqlClient.SqlClient
> =>
  Layer.mergeAll(EvidenceProjector.layer, OutboxSweep.layer).pipe(
    Layer.provideMerge(EvidenceIndexSqlite.layer(path.join(dataDir, "index"), threads)),
    Layer.provide(AppealSourcePostgres.layer),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )

/** Both of them. */
export const embeddedIndexesLayer = (
  dataDir: string,
  threads: IndexThreads = {}
): Layer.Layer<SearchParts, WorkerError.WorkerError, PgClient.PgClient | SqlClient.SqlClient> =>
  embeddedMemoryLayer(dataDir, threads).pipe(Layer.provideMerge(embeddedSearchLayer(dataDir, threads)))
