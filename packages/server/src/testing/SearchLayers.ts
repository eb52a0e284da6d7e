// The search of a process on a test database: embedded indexes with their projectors, or OpenSearch.
import type { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import type { PgClient } from "@effect/sql-pg"
import type { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import type { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import type { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { WorkerError } from "effect/workers"
import * as path from "node:path"
import type { OpenSearchSettings } from "../Config.ts"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as MemorySourcePostgres from "../postgres/memory/MemorySourcePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import {
  type EvidenceProjector,
  evidenceProjectorLayer,
  type MemoryProjector,
  memoryProjectorLayer
} from "../projection/ProjectorLayers.ts"
import { EvidenceIndexSqlite, MemoryIndexSqlite, type OnThread } from "../sqlite/EvidenceIndexSqlite.ts"
import { searchLayer } from "../wiring/Search.ts"

/** The index of appeals in the data folder. Searches answer once it is built. */
export const embeddedSearchLayer = (
  dataDir: string,
  onStart?: OnThread
): Layer.Layer<
  AppealIndex | AppealProjection | EvidenceProjector | OutboxSignal | DeliverySignal | BroadcastSignal,
  WorkerError.WorkerError,
  PgClient.PgClient | SqlClient.SqlClient
> =>
  evidenceProjectorLayer(false).pipe(
    Layer.provideMerge(EvidenceIndexSqlite.layer(path.join(dataDir, "index"), onStart)),
    Layer.provide(AppealSourcePostgres.layer),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )

/** The index of client memory in the data folder; it uses the outbox signal of the index of appeals. */
export const embeddedMemoryLayer = (
  dataDir: string
): Layer.Layer<
  MemoryIndex | MemoryProjection | MemoryProjector,
  WorkerError.WorkerError,
  OutboxSignal | SqlClient.SqlClient
> =>
  memoryProjectorLayer(false).pipe(
    Layer.provideMerge(MemoryIndexSqlite.layer(path.join(dataDir, "memory-index"))),
    Layer.provide(MemorySourcePostgres.layer)
  )

/** Both indexes in OpenSearch. */
export const sharedSearchLayer = (openSearch: OpenSearchSettings) =>
  searchLayer({ dataDir: "/nowhere", openSearch })
