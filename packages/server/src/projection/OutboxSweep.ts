// Deletes obligations that every index has long followed, so that the outbox stays small.
import { OUTBOX_SWEEP_MILLIS } from "./ProjectionLimits.ts"
import { OUTBOX_SWEEP_ROWS_MAX } from "../postgres/outbox/OutboxLimits.ts"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { sweepOutbox } from "../postgres/outbox/OutboxPostgres.ts"
import { sweeping } from "./Sweep.ts"

/** Every OUTBOX_SWEEP_MILLIS, a bounded number of rows a statement, until nothing old is left. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  sweeping([
    {
      name: "obligations",
      once: sweepOutbox,
      rowsMax: OUTBOX_SWEEP_ROWS_MAX,
      everyMillis: OUTBOX_SWEEP_MILLIS
    }
  ])
)
