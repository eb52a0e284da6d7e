// The search indexes of a process: shared in OpenSearch where the settings name one, else its own in the data folder.
import type { PgClient } from "@effect/sql-pg"
import { Effect, type Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { WorkerError } from "effect/workers"
import type { ConfigError, Settings } from "../Config.ts"
import { progress } from "../seed/Progress.ts"
import { embeddedIndexesLayer } from "./EmbeddedSearch.ts"
import { EvidenceProjector } from "../projection/EvidenceProjector.ts"
import { MemoryProjector } from "../projection/MemoryProjector.ts"
import { type SearchParts, sharedSearchLayer } from "./SharedSearch.ts"

/** Needs a migrated and seeded database, and, where they are its own, the data folder held by this process. */
export const indexesLayer = ({
  dataDir,
  openSearch,
  telemetry
}: Settings): Layer.Layer<
  SearchParts,
  ConfigError | WorkerError.WorkerError,
  PgClient.PgClient | SqlClient.SqlClient
> => (openSearch === undefined ? embeddedIndexesLayer(dataDir, { telemetry }) : sharedSearchLayer(openSearch))

/** Everything that was committed is searchable: a seed ends with it (docs/contract.md §11). Shows its progress. */
export const awaitIndexed = Effect.gen(function* () {
  const appeals = yield* progress("indexing", "appeals")
  yield* (yield* EvidenceProjector).caughtUp(appeals.reached)
  yield* appeals.finished
  const memory = yield* progress("indexing client memory", "entries")
  yield* (yield* MemoryProjector).caughtUp(memory.reached)
  yield* memory.finished
})
