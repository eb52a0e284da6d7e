// Port of all stored data of a client, for export in pages or erasure in slices (contract §9, "Clients").
import type { ClientErasure } from "@rapport/contract/clients/ClientsApi.ts"
import { Context } from "effect"
import type { AuditActor } from "../audit/AuditLog.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** `ids` contains `id` and the ids of clients that were merged into it. */
export interface StoredClient {
  readonly instanceId: number
  readonly id: number
  readonly ids: ReadonlyArray<number>
}

/** Rows of one kind with the member names of the API. */
export interface ClientDataPage {
  readonly records: ReadonlyArray<{ readonly kind: string; readonly record: object }>
  /** The cursor of the next page; null after the last one. */
  readonly next: ClientDataPosition | null
}
/** Opaque: a kind of rows and a row of it. */
export interface ClientDataPosition {
  readonly part: number
  readonly after: string | null
}

export type ErasedClient = Pick<StoredClient, "instanceId" | "id">

export interface UnfinishedErasures {
  /** Null if no erasure can continue now. */
  readonly next: ErasedClient | null
  /** The age of the oldest unfinished request by the clock of the database; 0 without one. */
  readonly oldestMillis: number
}

export interface ErasureSlice extends ClientErasure {
  readonly instanceId: number
  /** The kind of rows that is being erased; null once finished. */
  readonly part: string | null
  /** True while the last pass waits for transactions that began before the request. */
  readonly isWaiting: boolean
}

export class ClientDataStore extends Context.Service<
  ClientDataStore,
  {
    /** Finds by any of its ids, without `instanceId` in every instance. Undefined if unknown or erased. */
    readonly find: (instanceId: number | null, id: number) => StoreEffect<StoredClient | undefined>
    readonly page: (client: StoredClient, place: ClientDataPosition) => StoreEffect<ClientDataPage>
    /** Records the export in the audit log. */
    readonly exported: (client: StoredClient, actor: AuditActor) => StoreEffect<void>
    /**
     * Hides the client from all reads and writes. Any process then erases its data with `erase`. Repeated calls return the
     * progress.
     */
    readonly beginErasure: (
      instanceId: number | null,
      id: number,
      actor: AuditActor
    ) => StoreEffect<(ClientErasure & { readonly instanceId: number }) | undefined>
    /** The oldest erasure that no other process works on and that is not in `excluded`. */
    readonly unfinished: (excluded: ReadonlyArray<ErasedClient>) => StoreEffect<UnfinishedErasures>
    /**
     * Erases one bounded slice in a transaction. Undefined if the erasure is finished or another process works on it.
     */
    readonly erase: (client: ErasedClient) => StoreEffect<ErasureSlice | undefined>
  }
>()("core/clients/ClientDataStore") {}
