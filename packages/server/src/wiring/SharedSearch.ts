// The search on OpenSearch in one layer: two indexes that every process of the service shares, one of which writes each.
import type { PgClient } from "@effect/sql-pg"
import type { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import type { EvidenceIndex } from "@rapport/core/search/EvidenceIndex.ts"
import type { EvidenceProjection } from "@rapport/core/search/EvidenceProjection.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { ConfigError, OpenSearchSettings } from "../Config.ts"
import { EvidenceIndexOpenSearch } from "../opensearch/EvidenceIndexOpenSearch.ts"
import { MemoryIndexOpenSearch } from "../opensearch/MemoryIndexOpenSearch.ts"
import { OpenSearch } from "../opensearch/OpenSearch.ts"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as MemorySourcePostgres from "../postgres/memory/MemorySourcePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { EvidenceProjector } from "../projection/EvidenceProjector.ts"
import { MemoryProjector } from "../projection/MemoryProjector.ts"
import * as OutboxSweep from "../projection/OutboxSweep.ts"

/** What both engines provide. */
export type SearchParts =
  | EvidenceIndex
  | EvidenceProjection
  | EvidenceProjector
  | MemoryIndex
  | MemoryProjection
  | MemoryProjector
  | OutboxSignal

/** Needs a migrated and seeded database. An OpenSearch that is away stops nothing but searches. */
export const sharedSearchLayer = (
  settings: OpenSearchSettings
): Layer.Layer<SearchParts, ConfigError, PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.mergeAll(EvidenceProjector.sharedLayer, MemoryProjector.sharedLayer, OutboxSweep.layer).pipe(
    Layer.provideMerge(
      Layer.merge(
        EvidenceIndexOpenSearch.layer(settings.indexPrefix),
        MemoryIndexOpenSearch.layer(settings.indexPrefix)
      ).pipe(Layer.provide(OpenSearch.layer(settings)))
    ),
    Layer.provide([AppealSourcePostgres.layer, MemorySourcePostgres.layer]),
    Layer.provideMerge(OutboxSignalPostgres.layer)
  )
