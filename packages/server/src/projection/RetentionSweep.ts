// Keeps the audit log and the history of states within what the settings keep, on one process at a time.
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { historySweep, sweepAudit } from "../postgres/capacity/RetentionPostgres.ts"
import { AUDIT_SWEEP_MILLIS, HISTORY_SWEEP_MILLIS, RETENTION_SWEEP_ROWS_MAX } from "./ProjectionLimits.ts"
import { sweepingAlone } from "./Sweep.ts"

export const layerOf = (settings: {
  readonly auditDays: number
  readonly stateVersions: number
}): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    sweepingAlone("retention", [
      {
        name: "entries of the audit log",
        once: sweepAudit(settings.auditDays, RETENTION_SWEEP_ROWS_MAX),
        rowsMax: RETENTION_SWEEP_ROWS_MAX,
        everyMillis: AUDIT_SWEEP_MILLIS
      },
      {
        name: "versions of states",
        once: historySweep(settings.stateVersions, RETENTION_SWEEP_ROWS_MAX),
        rowsMax: RETENTION_SWEEP_ROWS_MAX,
        everyMillis: HISTORY_SWEEP_MILLIS
      }
    ])
  )
