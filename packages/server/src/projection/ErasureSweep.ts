// Goes on with the erasures of clients, whichever process began them: slice by slice, until nothing is left (docs/contract.md §9).
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { Cause, Effect, Layer } from "effect"
import { ERASURE_POLL_MILLIS } from "./ProjectionLimits.ts"

/** Every process polls for work each ERASURE_POLL_MILLIS; the row of an erasure lets one of them do it at a time. */
export const layer: Layer.Layer<never, never, ClientDataStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* ClientDataStore
    const round = Effect.repeat(store.erase(), {
      until: (slice) => slice === undefined || slice.isWaiting
    })
    yield* round.pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("the erasure of a client did not go on", cause)
      ),
      Effect.andThen(Effect.sleep(ERASURE_POLL_MILLIS)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
