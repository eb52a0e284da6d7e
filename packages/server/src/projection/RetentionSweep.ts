// Keeps the audit log and the history of states within what the settings keep, on one process at a time.
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { historySweep, sweepAudit } from "../postgres/capacity/RetentionPostgres.ts"
import { AUDIT_SWEEP_MILLIS, HISTORY_SWEEP_MILLIS, RETENTION_SWEEP_ROWS_MAX } from "./ProjectionLimits.ts"
import { sweepingAlone } from "./Sweep.ts"

interface Kept {
  readonly auditDays: number
  readonly stateVersions: number
}

/** A bounded number of rows a statement, until nothing is left that need not be kept. */
export const sweepsOf = ({ auditDays, stateVersions }: Kept) => [
  {
    name: "entries of the audit log",
    once: sweepAudit(auditDays, RETENTION_SWEEP_ROWS_MAX),
    rowsMax: RETENTION_SWEEP_ROWS_MAX,
    everyMillis: AUDIT_SWEEP_MILLIS
  },
  {
    name: "versions of states",
    once: historySweep(stateVersions, RETENTION_SWEEP_ROWS_MAX),
    rowsMax: RETENTION_SWEEP_ROWS_MAX,
    everyMillis: HISTORY_SWEEP_MILLIS
  }
]

export const layerOf = (kept: Kept): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(sweepingAlone("retention", sweepsOf(kept)))
