// Port of clients in the primary database; what the caller may not see does not exist for the caller (docs/contract.md §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Client, ClientRequest } from "@rapport/contract/clients/ClientsApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context, type Effect } from "effect"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

/** What a change needs of the two clients of a merge. */
export interface MergedClients {
  readonly from: Client
  readonly into: Client
}

export class ClientStore extends Context.Service<
  ClientStore,
  {
    readonly create: (
      session: AuthorizedSession,
      request: ClientRequest
    ) => Effect.Effect<Client, SourceUnavailable | UniqueConflict>
    /** Undefined when unknown, foreign or not visible; the id of a merged client finds the survivor. */
    readonly find: (
      session: AuthorizedSession,
      id: number
    ) => Effect.Effect<Client | undefined, SourceUnavailable>
    readonly list: (
      session: AuthorizedSession,
      request: ListRequest
    ) => Effect.Effect<ListRows, SourceUnavailable>
    /**
     * Locks the client, asks `decide` for the new record (null: no change) and writes it with the next version and an
     * audit entry. Undefined when there is none for the caller. To be run in a transaction.
     */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      decide: (found: Client) => Effect.Effect<Client | null, E>
    ) => Effect.Effect<Client | undefined, E | SourceUnavailable | UniqueConflict>
    /**
     * Moves appeals, actions, sessions, identities and state of `id` to `intoId` and leaves `decide`'s survivor there.
     * `path` names the one of the two that is not there for the caller.
     */
    readonly merge: (
      session: AuthorizedSession,
      id: number,
      intoId: number,
      decide: (clients: MergedClients) => Client
    ) => Effect.Effect<Client | "no id" | "no intoId" | "same", SourceUnavailable>
  }
>()("core/clients/ClientStore") {}
