// Deletes obligations that every index has long followed, so that the outbox stays small.
import { OUTBOX_SWEEP_MILLIS, OUTBOX_SWEEP_ROWS_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { sweepOutbox } from "../postgres/outbox/OutboxPostgres.ts"

/** Every OUTBOX_SWEEP_MILLIS, a bounded number of rows a statement, until nothing old is left. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.repeat(sweepOutbox, { while: (swept) => swept >= OUTBOX_SWEEP_ROWS_MAX }).pipe(
    Effect.catchTag("SourceUnavailable", (error) =>
      Effect.logWarning("the outbox was not swept", error.reason)
    ),
    Effect.andThen(Effect.sleep(OUTBOX_SWEEP_MILLIS)),
    Effect.forever,
    Effect.forkScoped
  )
)
