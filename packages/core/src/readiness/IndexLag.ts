// Port of the exact lag of the search indexes, for the readiness route (contract §3.4).
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

export class IndexLag extends Context.Service<
  IndexLag,
  {
    /** Milliseconds: 0 exactly when every committed change is searchable, else the age of the oldest unsearchable change. */
    readonly millis: (instanceId: number) => Effect.Effect<number, SourceUnavailable>
  }
>()("@rapport/core/readiness/IndexLag") {}
