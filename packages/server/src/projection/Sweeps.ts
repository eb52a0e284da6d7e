// The sweeps of the service: rows and intervals.
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Layer } from "effect"
import { startLeasedSweeps, sweepOf } from "./Sweep.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import { SESSION_SWEEP_ROWS_MAX } from "../postgres/access/RefreshTokens.ts"
import { continuePostponed } from "../postgres/appeals/PostponedChats.ts"
import { analyzeErasedTables } from "../postgres/clients/ErasedStatistics.ts"
import { historySweep, sweepAudit } from "../postgres/capacity/RetentionPostgres.ts"
import { sweepFiles } from "../postgres/files/FileStorePostgres.ts"
import { OUTBOX_SWEEP_ROWS_MAX, sweepOutbox } from "../postgres/outbox/OutboxPostgres.ts"

/** How often ended sessions and spent refresh tokens are deleted. */
export const SESSION_SWEEP_MILLIS = 600_000
/** How often old receipts and import batches are deleted, and how many of them by one statement. */
export const RECEIPT_SWEEP_MILLIS = 600_000
export const RECEIPT_SWEEP_ROWS_MAX = 1_000
export const IMPORT_SWEEP_ROWS_MAX = 100
/** How often old outbox entries are deleted. */
const OUTBOX_SWEEP_MILLIS = 60_000
/** How often old entries of the audit log are deleted. */
const AUDIT_SWEEP_MILLIS = 600_000
/** How often old versions of states are deleted. */
const HISTORY_SWEEP_MILLIS = 3_600_000
/** How often tables with erased clients are analyzed, so that no statistics keep their values. */
const STATISTICS_SWEEP_MILLIS = 3_600_000
/** How often files that no message has are deleted, and how many in one transaction. */
const FILE_SWEEP_MILLIS = 60_000
const FILE_SWEEP_ROWS_MAX = 50
/** How often postponed chats are continued, and how many in one transaction. */
const POSTPONED_SWEEP_MILLIS = 5_000
const POSTPONED_SWEEP_ROWS_MAX = 100
/** Rows deleted by one statement of the audit log and of the history. */
const RETENTION_SWEEP_ROWS_MAX = 1_000

/** Ended sessions and spent refresh tokens. */
export const sessionSweep = Effect.map(AccessStore, ({ sweep }) =>
  sweepOf("sessions", SESSION_SWEEP_MILLIS, SESSION_SWEEP_ROWS_MAX, () => sweep)
)

/** Receipts and import batches past their time (contract §1.3). */
export const receiptSweepsOf = Effect.fnUntraced(function* (contextWriteDays: number) {
  const receipts = yield* Receipts
  const imports = yield* ImportStore
  return [
    sweepOf("receipts", RECEIPT_SWEEP_MILLIS, RECEIPT_SWEEP_ROWS_MAX, (limit) =>
      receipts.sweep(limit, contextWriteDays)
    ),
    sweepOf("import batches", RECEIPT_SWEEP_MILLIS, IMPORT_SWEEP_ROWS_MAX, (limit) =>
      imports.sweep(limit, contextWriteDays)
    )
  ]
})

interface Retention {
  readonly auditDays: number
  readonly stateVersions: number
}

/** The audit log and the history of states, as far as the settings keep them. */
export const retentionSweepsOf = ({ auditDays, stateVersions }: Retention) => [
  sweepOf("entries of the audit log", AUDIT_SWEEP_MILLIS, RETENTION_SWEEP_ROWS_MAX, (limit) =>
    sweepAudit(auditDays, limit)
  ),
  sweepOf("versions of states", HISTORY_SWEEP_MILLIS, RETENTION_SWEEP_ROWS_MAX, (limit) =>
    historySweep(stateVersions, limit)
  )
]

/** All sweeps, in the process that has their lease. */
export const sweepsLayer = (settings: Retention & { readonly receiptDays: number }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* startLeasedSweeps("sweeps", [
        yield* sessionSweep,
        ...(yield* receiptSweepsOf(settings.receiptDays)),
        ...retentionSweepsOf(settings),
        // One run covers all tables, so none follows immediately.
        sweepOf("statistics of erased clients", STATISTICS_SWEEP_MILLIS, 1, () =>
          Effect.as(analyzeErasedTables, 0)
        ),
        // Files past their time, with their bytes.
        sweepOf("files", FILE_SWEEP_MILLIS, FILE_SWEEP_ROWS_MAX, sweepFiles),
        sweepOf("postponed chats", POSTPONED_SWEEP_MILLIS, POSTPONED_SWEEP_ROWS_MAX, continuePostponed),
        // Entries that every index has.
        sweepOf("outbox entries", OUTBOX_SWEEP_MILLIS, OUTBOX_SWEEP_ROWS_MAX, () => sweepOutbox)
      ])
    })
  )
