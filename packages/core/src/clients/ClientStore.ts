// Port of clients in the primary database; hidden clients do not exist for the caller (contract §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Client, ClientRequest, CreatedClient } from "@rapport/contract/clients/ClientsApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { FindMethod, ListMethod, StoreEffect, UpdateMethod } from "../lists/StoreMethods.ts"

export interface MergedClients {
  readonly from: Client
  readonly into: Client
}

/** `phones` and `emails` include `phone` and `email`. */
export type NewClient = Omit<ClientRequest, "phone" | "email"> & Pick<Client, "phones" | "emails">

export class ClientStore extends Context.Service<
  ClientStore,
  {
    /** With a warning for each client that the caller sees and that may be the same person. */
    readonly create: (
      session: AuthorizedSession,
      client: NewClient
    ) => StoreEffect<CreatedClient, UniqueConflict>
    /** Undefined if unknown or not visible. The id of a merged client finds the survivor. */
    readonly find: FindMethod<Client>
    readonly list: ListMethod
    /**
     * Locks the client and writes the result of `decide` (null: no change) as the next version, with an audit entry.
     * Undefined if the caller sees no such client. Runs in a transaction.
     */
    readonly update: UpdateMethod<Client, UniqueConflict>
    /**
     * Moves appeals, actions, sessions, identities and states of `id` to `intoId`, and writes the result of `decide` there.
     * Returns the name of the id that the caller cannot see.
     */
    readonly merge: (
      session: AuthorizedSession,
      id: number,
      intoId: number,
      decide: (clients: MergedClients) => Client
    ) => StoreEffect<Client | "no id" | "no intoId" | "same">
  }
>()("core/clients/ClientStore") {}
