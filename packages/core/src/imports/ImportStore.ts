// Port of import batches: a checkpoint that moves only with its item, and a lease that a dead importer loses (contract §5).
import type { ImportBatch, ImportedItem } from "@rapport/contract/imports/ImportsApi.ts"
import { Context, type Effect } from "effect"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Stored } from "../lists/Stored.ts"

/** Which batch, and who works on it now: an importer that lost its lease writes nothing any more. */
export interface BatchRef {
  readonly instanceId: number
  readonly id: string
  readonly owner: string
}

/** What an item did: its outcome without its index. */
export type ItemOutcome = Omit<ImportedItem, "index">

export class ImportStore extends Context.Service<
  ImportStore,
  {
    /**
     * The batch under the key, made where there is none; `fingerprint` is that of its first request. An `owner` who makes it has
     * its lease at once, so that no other process takes it first.
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
      { readonly made: boolean; readonly fingerprint: string; readonly batch: ImportBatch },
      SourceUnavailable
    >
    /** Whether the caller has a batch under the key. */
    readonly isKnown: (caller: AuthorizedSession, key: string) => Stored<boolean>
    readonly find: (instanceId: number, id: string) => Stored<ImportBatch | undefined>
    /** Takes the running batch for IMPORT_LEASE_MILLIS where no process works on it; the next index, or undefined. */
    readonly lease: (ref: BatchRef) => Stored<number | undefined>
    /** Gives the lease back, so that a repeat need not wait for its end. */
    readonly release: (ref: BatchRef) => Stored<void>
    /**
     * Runs the items from `index` on and moves the checkpoint past them in one transaction, with an outcome for each. `clientIds` are
     * the clients that they name: an erasure empties the messages of their outcomes. False when the lease was lost: then nothing was
     * written.
     */
    readonly advance: <R>(
      ref: BatchRef,
      index: number,
      items: Effect.Effect<ReadonlyArray<ItemOutcome>, SourceUnavailable, R>,
      clientIds?: ReadonlyArray<number | undefined>
    ) => Effect.Effect<boolean, SourceUnavailable, R>
    /** Removes batches without work for so many days (0: none), at most `limit` at once; how many went. */
    readonly sweep: (limit: number, days: number) => Stored<number>
  }
>()("core/imports/ImportStore") {}
