// Port of import batches with checkpoints and leases (contract §5).
import type { ImportBatch, ImportedItem } from "@rapport/contract/imports/ImportsApi.ts"
import { Context, type Effect } from "effect"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** A batch and the owner of its lease. An owner without the lease cannot write. */
export interface BatchRef {
  readonly instanceId: number
  readonly id: string
  readonly owner: string
}

export type ItemOutcome = Omit<ImportedItem, "index">

export class ImportStore extends Context.Service<
  ImportStore,
  {
    /**
     * Finds or creates the batch under the key. `fingerprint` is that of its first request. A new batch is leased to `owner`, so
     * that no other process leases it first.
     */
    readonly open: (
      caller: AuthorizedSession,
      key: string,
      fingerprint: string,
      batch: {
        readonly id: string
        readonly total: number
        readonly now: number
        readonly owner?: string
      }
    ) => Effect.Effect<
      { readonly isCreated: boolean; readonly fingerprint: string; readonly batch: ImportBatch },
      SourceUnavailable
    >
    /** Whether the caller has a batch under the key. */
    readonly isKnown: (caller: AuthorizedSession, key: string) => StoreEffect<boolean>
    readonly find: (instanceId: number, id: string) => StoreEffect<ImportBatch | undefined>
    /** Leases a running batch for IMPORT_LEASE_MILLIS. Returns the next index; undefined if another process has it. */
    readonly lease: (ref: BatchRef) => StoreEffect<number | undefined>
    /** Ends the lease early, so that a repeat need not wait. */
    readonly release: (ref: BatchRef) => StoreEffect<void>
    /**
     * Runs the items from `index` on and moves the checkpoint past them in one transaction. Erasures of `clientIds` empty the
     * messages of the outcomes. Returns false without writing if the lease was lost.
     */
    readonly advance: <R>(
      ref: BatchRef,
      index: number,
      items: Effect.Effect<ReadonlyArray<ItemOutcome>, SourceUnavailable, R>,
      clientIds?: ReadonlyArray<number | undefined>
    ) => Effect.Effect<boolean, SourceUnavailable, R>
    /** Removes at most `limit` batches that were idle for `days` (0: none). Returns their count. */
    readonly sweep: (limit: number, days: number) => StoreEffect<number>
  }
>()("core/imports/ImportStore") {}
