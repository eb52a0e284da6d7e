// Deletes receipts and import batches that need not be kept any more, so that their tables stay small (docs/contract.md §1.3).
import {
  IMPORT_SWEEP_ROWS_MAX,
  RECEIPT_SWEEP_MILLIS,
  RECEIPT_SWEEP_ROWS_MAX
} from "@rapport/contract/Limits.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import { Effect, Layer } from "effect"

/** Sweeps at the start and every RECEIPT_SWEEP_MILLIS, a bounded number of rows a statement, until nothing old is left. */
export const layer: Layer.Layer<never, never, Receipts | ImportStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const receipts = yield* Receipts
    const imports = yield* ImportStore
    const round = Effect.andThen(
      Effect.repeat(receipts.sweep(RECEIPT_SWEEP_ROWS_MAX), {
        while: (gone) => gone >= RECEIPT_SWEEP_ROWS_MAX
      }),
      Effect.repeat(imports.sweep(IMPORT_SWEEP_ROWS_MAX), { while: (gone) => gone >= IMPORT_SWEEP_ROWS_MAX })
    )
    yield* round.pipe(
      Effect.catchTag("SourceUnavailable", (error) =>
        Effect.logWarning("receipts were not swept", error.reason)
      ),
      Effect.andThen(Effect.sleep(RECEIPT_SWEEP_MILLIS)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
