// The sweeps of the service: deleted rows and intervals.
import {
  IMPORT_SWEEP_ROWS_MAX,
  RECEIPT_SWEEP_MILLIS,
  RECEIPT_SWEEP_ROWS_MAX,
  SESSION_SWEEP_MILLIS
} from "./ProjectionLimits.ts"
import { SESSION_SWEEP_ROWS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Layer } from "effect"
import { startSweeps, startLeasedSweeps } from "./Sweep.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import type { FileStorage } from "@rapport/core/files/FileStorage.ts"
import type { SqlClient } from "effect/sql"
import { continuePostponed } from "../postgres/appeals/PostponedChats.ts"
import { analyzeErasedTables } from "../postgres/clients/ErasedStatistics.ts"
import { historySweep, sweepAudit } from "../postgres/capacity/RetentionPostgres.ts"
import { sweepFiles } from "../postgres/files/FileStorePostgres.ts"
import { OUTBOX_SWEEP_ROWS_MAX } from "../postgres/outbox/OutboxLimits.ts"
import { sweepOutbox } from "../postgres/outbox/OutboxPostgres.ts"

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

// Ended sessions and spent refresh tokens.

export const sessionSweepLayer: Layer.Layer<never, never, AccessStore> = Layer.effectDiscard(
  Effect.flatMap(AccessStore, ({ sweep }) =>
    startSweeps([
      { name: "sessions", once: sweep, rowsMax: SESSION_SWEEP_ROWS_MAX, everyMillis: SESSION_SWEEP_MILLIS }
    ])
  )
)

// Receipts and import batches past their time (contract §1.3).

export const receiptSweepsOf = Effect.fnUntraced(function* (contextWriteDays: number) {
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

export const receiptSweepLayerOf = (
  contextWriteDays: number
): Layer.Layer<never, never, Receipts | ImportStore | SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.flatMap(receiptSweepsOf(contextWriteDays), (sweeps) => startLeasedSweeps("receipts", sweeps))
  )

// The audit log and the history of states, as far as the settings keep them.

interface Retention {
  readonly auditDays: number
  readonly stateVersions: number
}

export const retentionSweepsOf = ({ auditDays, stateVersions }: Retention) => [
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

/** One run covers all tables, so none follows immediately. */
const statisticsSweep = {
  name: "statistics of erased clients",
  once: Effect.as(analyzeErasedTables, 0),
  rowsMax: 1,
  everyMillis: STATISTICS_SWEEP_MILLIS
}

export const retentionSweepLayerOf = (retention: Retention): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(startLeasedSweeps("retention", [...retentionSweepsOf(retention), statisticsSweep]))

// Files past their time, with their bytes.

export const fileSweepLayer: Layer.Layer<never, never, FileStorage | SqlClient.SqlClient> =
  Layer.effectDiscard(
    startLeasedSweeps("files", [
      {
        name: "files",
        once: sweepFiles(FILE_SWEEP_ROWS_MAX),
        rowsMax: FILE_SWEEP_ROWS_MAX,
        everyMillis: FILE_SWEEP_MILLIS
      }
    ])
  )

// Postponed chats whose time has come.

export const postponedSweepLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  startLeasedSweeps("postponed chats", [
    {
      name: "postponed chats",
      once: continuePostponed(POSTPONED_SWEEP_ROWS_MAX),
      rowsMax: POSTPONED_SWEEP_ROWS_MAX,
      everyMillis: POSTPONED_SWEEP_MILLIS
    }
  ])
)

// Outbox entries that every index has.

export const outboxSweepLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  startSweeps([
    {
      name: "outbox entries",
      once: sweepOutbox,
      rowsMax: OUTBOX_SWEEP_ROWS_MAX,
      everyMillis: OUTBOX_SWEEP_MILLIS
    }
  ])
)
