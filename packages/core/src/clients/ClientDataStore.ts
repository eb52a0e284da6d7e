// Port of everything that is stored about one client: read a page at a time, erased a slice at a time (docs/contract.md §9, clients).
import type { ClientErasure } from "@rapport/contract/clients/ClientData.ts"
import { Context, type Effect } from "effect"
import type { AuditActor } from "../audit/AuditLog.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

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
    readonly find: (
      instanceId: number | null,
      id: number
    ) => Effect.Effect<StoredClient | undefined, SourceUnavailable>
    readonly page: (
      client: StoredClient,
      place: ClientDataPlace
    ) => Effect.Effect<ClientDataPage, SourceUnavailable>
    /** Says in the audit log that the data of the client was exported. */
    readonly exported: (client: StoredClient, actor: AuditActor) => Effect.Effect<void, SourceUnavailable>
    /**
     * From now on no read and no write finds the client, and its data is to be erased by `erase`, of whichever process.
     * A client that was erased before answers with how far that is.
     */
    readonly beginErasure: (
      instanceId: number | null,
      id: number,
      actor: AuditActor
    ) => Effect.Effect<(ClientErasure & { readonly instanceId: number }) | undefined, SourceUnavailable>
    /**
     * One bounded slice of the erasure of a client, or of the oldest one that no other process works on. Undefined: there
     * is none to work on. A process that is killed loses at most its slice.
     */
    readonly erase: (
      client?: Pick<StoredClient, "instanceId" | "id">
    ) => Effect.Effect<ErasureSlice | undefined, SourceUnavailable>
  }
>()("core/clients/ClientDataStore") {}
