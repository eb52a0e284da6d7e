// The probes: liveness answers while the process runs, readiness checks the database and its migrations.
import { Api } from "@rapport/contract/Api.ts"
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { withTimeout } from "@rapport/core/failures/SourceUnavailable.ts"
import { DatabaseHealth } from "@rapport/core/readiness/DatabaseHealth.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** How long a probe waits for the database. */
const PROBE_MILLIS_MAX = 2_000
/** How long a result is cached. */
const PROBE_KEPT_MILLIS = 1_000

export const healthLayer = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const database = yield* DatabaseHealth
    // contract §3.4: a lost search index shows in the readiness route and never here.
    const probe = database.isMigrated.pipe(
      withTimeout(PROBE_MILLIS_MAX, "database"),
      Effect.filterOrFail((isMigrated) => isMigrated),
      Effect.mapError(() => new SearchUnavailable({ reason: "database_unavailable" })),
      Effect.as({ status: "ready" as const })
    )
    // The route is public, so the database is queried at most once a second. A caller that disconnects does not interrupt the query.
    const ready = yield* Effect.cachedWithTTL(Effect.uninterruptible(probe), PROBE_KEPT_MILLIS)
    return handlers.handleAll({
      getLiveness: () => Effect.succeed({ status: "live" as const }),
      getReadiness: () => ready
    })
  })
)
