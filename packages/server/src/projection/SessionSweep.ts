// Deletes sessions and spent refresh tokens that can answer nothing any more, so that their tables stay small.
import { SESSION_SWEEP_MILLIS } from "./ProjectionLimits.ts"
import { SESSION_SWEEP_ROWS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Layer } from "effect"
import { sweeping } from "./Sweep.ts"

/** Sweeps at the start and every SESSION_SWEEP_MILLIS, a bounded number of rows a statement, until nothing is left. */
export const layer: Layer.Layer<never, never, AccessStore> = Layer.effectDiscard(
  Effect.flatMap(AccessStore, ({ sweep }) =>
    sweeping([
      { name: "sessions", once: sweep, rowsMax: SESSION_SWEEP_ROWS_MAX, everyMillis: SESSION_SWEEP_MILLIS }
    ])
  )
)
