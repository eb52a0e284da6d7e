// The search indexes of a process: shared in OpenSearch where the settings name one, else its own in the data folder.
import type { PgClient } from "@effect/sql-pg"
import { Effect, type Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { WorkerError } from "effect/workers"
import type { ConfigError, Settings } from "../Config.ts"
import { progress } from "../seed/Progress.ts"
import { embeddedIndexesLayer } from "./EmbeddedSearch.ts"
import type { IndexProgress, IndexProjector } from "../projection/IndexProjector.ts"
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
