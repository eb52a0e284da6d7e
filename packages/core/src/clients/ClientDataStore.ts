// Port of everything that is stored about one client: read a page at a time, erased a slice at a time (contract §9, "Clients").
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

/** Whose erasure it is. */
export type ErasedClient = Pick<StoredClient, "instanceId" | "id">

/** What is left of all erasures. */
export interface UnfinishedErasures {
  /** Undefined: there is none to go on with now. */
  readonly next: ErasedClient | undefined
  /** How long ago the oldest was asked for, by the clock of the database; 0 where none is unfinished. */
  readonly oldestMillis: number
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
    /** The erasure to go on with: the oldest that no other process works on now and that is not among `resting`. */
    readonly unfinished: (resting: ReadonlyArray<ErasedClient>) => Stored<UnfinishedErasures>
    /**
     * One bounded slice of the erasure of a client. Undefined: it is finished, or another process works on it now. A process
     * that is killed loses at most its slice.
     */
    readonly erase: (client: ErasedClient) => Stored<ErasureSlice | undefined>
  }
>()("core/clients/ClientDataStore") {}
