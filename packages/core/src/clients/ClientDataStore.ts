// Port of everything that is stored about one client: read a page at a time, erased a slice at a time (docs/contract.md §9, clients).
import type { ClientErasure } from "@rapport/contract/clients/ClientData.ts"
import { Context } from "effect"
import type { AuditActor } from "../audit/AuditLog.ts"
import type { Stored } from "../lists/Stored.ts"

/** A client that is there: the id it has now, and with it the ids of those that were merged into it. */
export interface StoredClient {
  readonly instanceId: number
  readonly id: number
  readonly ids: ReadonlyArray<number>
}

/** Rows of one kind, as they are stored, with the names of the wire. */
export interface ClientDataPage {
  readonly records: ReadonlyArray<{ readonly kind: string; readonly record: object }>
  /** Where the next page begins; null after the last one. */
  readonly next: ClientDataPlace | null
}
/** Opaque: which kind, and after which row of it. */
export interface ClientDataPlace {
  readonly part: number
  readonly after: string | null
}

/** What one slice of an erasure did. */
export interface ErasureSlice extends ClientErasure {
  readonly instanceId: number
  /** The kind of rows that is being erased; null once finished. */
  readonly part: string | null
  /** True where nothing is left to do for now: the last pass waits for writers from before the request. */
  readonly isWaiting: boolean
}

export class ClientDataStore extends Context.Service<
  ClientDataStore,
  {
    /** By any of its ids; in any instance where none is given. Undefined: unknown, of another instance, or erased. */
    readonly find: (instanceId: number | null, id: number) => Stored<StoredClient | undefined>
    readonly page: (client: StoredClient, place: ClientDataPlace) => Stored<ClientDataPage>
    /** Says in the audit log that the data of the client was exported. */
    readonly exported: (client: StoredClient, actor: AuditActor) => Stored<void>
    /**
     * From now on no read and no write finds the client, and its data is to be erased by `erase`, of whichever process.
     * A client that was erased before answers with how far that is.
     */
    readonly beginErasure: (
      instanceId: number | null,
      id: number,
      actor: AuditActor
    ) => Stored<(ClientErasure & { readonly instanceId: number }) | undefined>
    /**
     * One bounded slice of the erasure of a client, or of the oldest one that no other process works on. Undefined: there
     * is none to work on. A process that is killed loses at most its slice.
     */
    readonly erase: (client?: Pick<StoredClient, "instanceId" | "id">) => Stored<ErasureSlice | undefined>
  }
>()("core/clients/ClientDataStore") {}
