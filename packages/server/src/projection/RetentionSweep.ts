// Keeps the audit log and the history of states within what the settings keep, on one process at a time.
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { historySweep, sweepAudit } from "../postgres/capacity/RetentionPostgres.ts"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"
import {
  AUDIT_SWEEP_MILLIS,
  HISTORY_SWEEP_MILLIS,
  RETENTION_LEASE_MILLIS,
  RETENTION_SWEEP_ROWS_MAX
} from "./ProjectionLimits.ts"
import { sweeping } from "./Sweep.ts"

export const layerOf = (settings: {
  readonly auditDays: number
  readonly stateVersions: number
}): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const isMine = yield* projectionLease("retention")
      // The lease comes a moment after the start; another process may hold it.
      yield* Effect.sleep(RETENTION_LEASE_MILLIS).pipe(
        Effect.andThen(
          sweeping([
            {
              name: "entries of the audit log",
              once: leased(isMine, sweepAudit(settings.auditDays, RETENTION_SWEEP_ROWS_MAX)),
              rowsMax: RETENTION_SWEEP_ROWS_MAX,
              everyMillis: AUDIT_SWEEP_MILLIS
            },
            {
              name: "versions of states",
              once: leased(isMine, historySweep(settings.stateVersions, RETENTION_SWEEP_ROWS_MAX)),
              rowsMax: RETENTION_SWEEP_ROWS_MAX,
              everyMillis: HISTORY_SWEEP_MILLIS
            }
          ])
        ),
        Effect.forkScoped
      )
    })
  )

const leased = <E, R>(isMine: Effect.Effect<boolean>, sweep: Effect.Effect<number, E, R>) =>
  Effect.flatMap(isMine, (mine) => (mine ? sweep : Effect.succeed(0)))
