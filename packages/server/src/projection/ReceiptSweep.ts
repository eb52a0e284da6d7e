// Deletes receipts and import batches that need not be kept any more, so that their tables stay small (docs/contract.md §1.3).
import { IMPORT_SWEEP_ROWS_MAX, RECEIPT_SWEEP_MILLIS, RECEIPT_SWEEP_ROWS_MAX } from "./ProjectionLimits.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { sweepingAlone } from "./Sweep.ts"

/** A bounded number of rows a statement, until nothing old is left. */
export const sweepsOf = Effect.fnUntraced(function* (contextWriteDays: number) {
  const receipts = yield* Receipts
  const imports = yield* ImportStore
  return [
    {
      name: "receipts",
      once: receipts.sweep(RECEIPT_SWEEP_ROWS_MAX, contextWriteDays),
      rowsMax: RECEIPT_SWEEP_ROWS_MAX,
      everyMillis: RECEIPT_SWEEP_MILLIS
    },
    {
      name: "import batches",
      once: imports.sweep(IMPORT_SWEEP_ROWS_MAX, contextWriteDays),
      rowsMax: IMPORT_SWEEP_ROWS_MAX,
      everyMillis: RECEIPT_SWEEP_MILLIS
    }
  ]
})

/** Sweeps at the start and every RECEIPT_SWEEP_MILLIS, on one process at a time. */
export const layerOf = (
  contextWriteDays: number
): Layer.Layer<never, never, Receipts | ImportStore | SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.flatMap(sweepsOf(contextWriteDays), (sweeps) => sweepingAlone("receipts", sweeps))
  )
