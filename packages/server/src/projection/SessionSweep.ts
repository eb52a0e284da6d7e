// Deletes sessions and spent refresh tokens that can answer nothing any more, so that their tables stay small.
import { SESSION_SWEEP_MILLIS, SESSION_SWEEP_ROWS_MAX } from "@rapport/contract/Limits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Layer } from "effect"

/** Sweeps at the start and every SESSION_SWEEP_MILLIS, a bounded number of rows a statement, until nothing is left. */
export const layer: Layer.Layer<never, never, AccessStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* AccessStore
    const round = Effect.repeat(store.sweep, { while: (swept) => swept >= SESSION_SWEEP_ROWS_MAX })
    yield* round.pipe(
      Effect.catchTag("SourceUnavailable", (error) =>
        Effect.logWarning("sessions were not swept", error.reason)
      ),
      Effect.andThen(Effect.sleep(SESSION_SWEEP_MILLIS)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
