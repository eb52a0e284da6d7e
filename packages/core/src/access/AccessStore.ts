// Port of sessions and logins in the primary database: every answer is of this moment, nothing here is cached.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { User } from "@rapport/contract/users/User.ts"
import { Context } from "effect"
import type { Origin } from "../audit/AuditLog.ts"
import type { AccessClaims } from "./AccessTokens.ts"
import type { Stored } from "../lists/Stored.ts"

/** What a login name leads to: one user of one instance. `passwordHash` is null before an invitation is accepted. */
export interface LoginRecord {
  readonly instanceId: number
  readonly userId: number
  readonly active: boolean
  readonly passwordHash: string | null
}

/** A refresh token as it is stored. */
export interface RefreshRecord {
  readonly sessionId: string
  readonly hash: Uint8Array
}

export interface SessionUser {
  readonly instanceId: number
  readonly user: User
  /** Seconds for which its refresh token is good: fewer at the end of a session's longest life. */
  readonly refreshExpiresIn: number
}

export class AccessStore extends Context.Service<
  AccessStore,
  {
    /** Rights and groups of a session, in one round trip; undefined when it is revoked, expired, or its user not active. */
    readonly findSession: (claims: AccessClaims) => Stored<AuthorizedSession | undefined>
    /** The same of an external token by its hash; undefined when deleted, expired, or its maker not active or without tokens.manage. */
    readonly findTokenSession: (hash: Uint8Array) => Stored<AuthorizedSession | undefined>
    /** `loginKey` is made by `loginKeyOf`. */
    readonly findLogin: (loginKey: string) => Stored<LoginRecord | undefined>
    /** Whether the name logged in from there within LOGIN_ADDRESS_DAYS; `address` is made by `addressKey`. */
    readonly isKnownAddress: (loginKey: string, address: string) => Stored<boolean>
    /** Puts a hash with present parameters in the place of the one that was found, unless the password changed since. */
    readonly rehash: (login: LoginRecord, passwordHash: string) => Stored<void>
    /** Remembers the address of `origin`. Undefined when the user was blocked or their password changed since `login` was read. */
    readonly openSession: (
      login: LoginRecord,
      refresh: RefreshRecord,
      origin: Origin
    ) => Stored<User | undefined>
    /** Whether the invitation, by its hash, still waits for its user and has not ended. */
    readonly isInvitation: (hash: Uint8Array) => Stored<boolean>
    /** Makes the invited user active with their first password; of several at once one succeeds, the others find it spent. */
    readonly acceptInvitation: (
      hash: Uint8Array,
      passwordHash: string,
      origin: Origin
    ) => Stored<LoginRecord | undefined>
    /**
     * Spends `spent` for `next` by one conditional write: of several at once at most one succeeds, the others find it
     * spent. Undefined when `spent` is not the present token of a living session of an active user.
     */
    readonly rotate: (
      spent: RefreshRecord,
      next: RefreshRecord,
      origin: Origin
    ) => Stored<SessionUser | undefined>
    /** Revokes the session when `refresh` is one of its spent tokens; true if it did. */
    readonly revokeReused: (refresh: RefreshRecord, origin: Origin) => Stored<boolean>
    /** Ends the caller's session, that of `refresh` if it is the same user's, and with `everywhere` all the user's. */
    readonly revoke: (
      session: AuthorizedSession,
      ended: { readonly everywhere: boolean; readonly refresh: RefreshRecord | undefined },
      origin: Origin
    ) => Stored<void>
    readonly findUser: (instanceId: number, userId: number) => Stored<User | undefined>
    /** Deletes sessions and spent tokens that are of no use any more, a bounded number at once; returns how many. */
    readonly sweep: Stored<number>
  }
>()("core/access/AccessStore") {}
