// Port of users in the primary database; what they may do follows their rows in the same transaction.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import type { User } from "@rapport/contract/users/User.ts"
import type { UserRequest } from "@rapport/contract/users/UsersApi.ts"
import { Context, type Effect } from "effect"
import type { Found, Listed, Stored } from "../lists/Stored.ts"

/** How a new user gets in: by a password, or by an invitation; one of the two is null. */
interface Entrance {
  readonly passwordHash: string | null
  readonly invitationHash: Uint8Array | null
}

/** Who shall get the open appeals of a blocked user. */
export interface Successor {
  readonly user: User
  readonly sharesGroup: boolean
}

/** What writes is run in a transaction. */
export class UserStore extends Context.Service<
  UserStore,
  {
    readonly create: (
      session: AuthorizedSession,
      request: UserRequest,
      entrance: Entrance
    ) => Stored<User, UniqueConflict>
    readonly find: Found<User>
    readonly list: Listed
    /** Those of the ids that are no skill groups of the instance. */
    readonly unknownGroups: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => Stored<ReadonlyArray<number>>
    /**
     * Locks the user, asks `decide` for the new record (null: no change) and writes it, as the next version unless only the
     * presence differs. Undefined when there is none in the instance. `action` goes into the audit entry.
     */
    readonly update: <E>(
      session: AuthorizedSession,
      id: number,
      action: "user.update" | "user.block" | "user.unblock" | "user.presence" | "user.invite",
      decide: (found: User) => Effect.Effect<User | null, E>
    ) => Stored<User | undefined, E | UniqueConflict>
    /** Whether no other administrator of the instance is active; holds that still until the transaction ends. */
    readonly isLastAdministrator: (session: AuthorizedSession, id: number) => Stored<boolean>
    /**
     * Holds who is blocked, and who shall get their appeals, until the transaction ends; in the order of their ids: of two who are
     * blocked in favour of each other one waits, where the database would else end one as a deadlock.
     */
    readonly holdForBlock: (session: AuthorizedSession, id: number, successorId: number) => Stored<void>
    readonly findSuccessor: (
      session: AuthorizedSession,
      id: number,
      successorId: number
    ) => Stored<Successor | undefined>
    /** Gives the open appeals of a user to another, or leaves them unassigned. */
    readonly handOver: (session: AuthorizedSession, id: number, successorId: number | null) => Stored<void>
    /** Ends all sessions of a user but `exceptSessionId`. */
    readonly endSessions: (
      session: AuthorizedSession,
      id: number,
      exceptSessionId: string | null
    ) => Stored<void>
    /** Deletes all external tokens of a user; returns how many there were. */
    readonly endTokens: (session: AuthorizedSession, id: number) => Stored<number>
    readonly findPasswordHash: (session: AuthorizedSession, id: number) => Stored<string | null>
    /** The one invitation of an invited user from now on, by its hash; the one before is unknown then. */
    readonly setInvitation: (session: AuthorizedSession, id: number, hash: Uint8Array) => Stored<void>
    /** The user's password from now on; an invited user becomes active, and their invitation is spent. */
    readonly setPassword: (session: AuthorizedSession, id: number, hash: string) => Stored<void>
  }
>()("core/users/UserStore") {}
