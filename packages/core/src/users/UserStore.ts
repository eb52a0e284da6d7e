// Port of users in the primary database; rights change in the transaction of the user.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import type { User } from "@rapport/contract/users/User.ts"
import type { UserRequest } from "@rapport/contract/users/UsersApi.ts"
import { Context, type Effect } from "effect"
import type { FindMethod, ListMethod, StoreEffect } from "../lists/StoreMethods.ts"

/** Password or invitation of a new user; one of the two is null. */
interface Entrance {
  readonly passwordHash: string | null
  readonly invitationHash: Uint8Array | null
}

/** The new operator of the open appeals of a blocked user. */
export interface NewOperator {
  readonly user: User
  readonly sharesGroup: boolean
}

/** Writes run in a transaction. */
export class UserStore extends Context.Service<
  UserStore,
  {
    readonly create: (
      session: AuthorizedSession,
      request: UserRequest,
      entrance: Entrance
    ) => StoreEffect<User, UniqueConflict>
    readonly find: FindMethod<User>
    readonly list: ListMethod
    /** The ids that are no skill groups of the instance. */
    readonly unknownGroups: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => StoreEffect<ReadonlyArray<number>>
    /**
     * Locks the user and writes the result of `decide` (null: no change), as the next version unless only the presence differs.
     * Undefined if there is no user in the instance. `action` is for the audit entry.
     */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      action: "user.update" | "user.block" | "user.unblock" | "user.presence" | "user.invite",
      decide: (found: User) => Effect.Effect<User | null, E>
    ) => StoreEffect<User | undefined, E | UniqueConflict>
    /** Whether no other administrator of the instance is active; locks them until the transaction ends. */
    readonly isLastAdministrator: (session: AuthorizedSession, id: number) => StoreEffect<boolean>
    /**
     * Locks the blocked user and the successor until the transaction ends, in the order of ids, so that two users who are blocked
     * in favour of each other do not deadlock.
     */
    readonly lockForBlock: (session: AuthorizedSession, id: number, successorId: number) => StoreEffect<void>
    readonly findSuccessor: (
      session: AuthorizedSession,
      id: number,
      successorId: number
    ) => StoreEffect<NewOperator | undefined>
    /** Gives the open appeals of a user to another, or leaves them unassigned. */
    readonly handOver: (
      session: AuthorizedSession,
      id: number,
      successorId: number | null
    ) => StoreEffect<void>
    /** Ends all sessions of a user except `exceptSessionId`. */
    readonly endSessions: (
      session: AuthorizedSession,
      id: number,
      exceptSessionId: string | null
    ) => StoreEffect<void>
    /** Deletes all external tokens of a user; returns how many there were. */
    readonly endTokens: (session: AuthorizedSession, id: number) => StoreEffect<number>
    readonly findPasswordHash: (session: AuthorizedSession, id: number) => StoreEffect<string | null>
    /** Replaces the invitation of an invited user, by its hash. */
    readonly setInvitation: (session: AuthorizedSession, id: number, hash: Uint8Array) => StoreEffect<void>
    /** Sets the password; an invited user becomes active, and the invitation is spent. */
    readonly setPassword: (session: AuthorizedSession, id: number, hash: string) => StoreEffect<void>
  }
>()("core/users/UserStore") {}
