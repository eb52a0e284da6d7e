// Port of clients in the primary database; what the caller may not see does not exist for the caller (contract §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Client, ClientRequest } from "@rapport/contract/clients/ClientsApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { Found, Listed, Stored, Updated } from "../lists/Stored.ts"

/** What a change needs of the two clients of a merge. */
export interface MergedClients {
  readonly from: Client
  readonly into: Client
}

export class ClientStore extends Context.Service<
  ClientStore,
  {
    readonly create: (session: AuthorizedSession, request: ClientRequest) => Stored<Client, UniqueConflict>
    /** Undefined when unknown, foreign or not visible; the id of a merged client finds the survivor. */
    readonly find: Found<Client>
    readonly list: Listed
    /**
     * Locks the client, asks `decide` for the new record (null: no change) and writes it with the next version and an
     * audit entry. Undefined when there is none for the caller. To be run in a transaction.
     */
    readonly update: Updated<Client, UniqueConflict>
    /**
     * Moves appeals, actions, sessions, identities and state of `id` to `intoId` and leaves `decide`'s survivor there.
     * `path` names the one of the two that is not there for the caller.
     */
    readonly merge: (
      session: AuthorizedSession,
      id: number,
      intoId: number,
      decide: (clients: MergedClients) => Client
    ) => Stored<Client | "no id" | "no intoId" | "same">
  }
>()("core/clients/ClientStore") {}
