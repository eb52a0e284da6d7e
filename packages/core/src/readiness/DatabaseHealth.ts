// Port of the readiness probe: whether the primary database answers and has every migration (contract §3.4).
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

export class DatabaseHealth extends Context.Service<
  DatabaseHealth,
  {
    /** True when the database has all migrations of this program; fails when it does not answer. */
    readonly isMigrated: Effect.Effect<boolean, SourceUnavailable>
  }
>()("core/readiness/DatabaseHealth") {}
