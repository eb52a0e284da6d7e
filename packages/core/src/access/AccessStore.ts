// Port of sessions and logins in the primary database; nothing is cached.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { User } from "@rapport/contract/users/User.ts"
import { Context } from "effect"
import type { Origin } from "../audit/AuditLog.ts"
import type { AccessClaims } from "./AccessTokens.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** How long authentication waits for the database. */
export const AUTHENTICATION_MILLIS_MAX = 2_000

/** The user of a login. `passwordHash` is null before an invitation is accepted. */
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
  /** Seconds until the refresh token expires; fewer near the maximum age of the session. */
  readonly refreshExpiresIn: number
}

export class AccessStore extends Context.Service<
  AccessStore,
  {
    /** Rights and groups of a session, in one round trip; undefined when it is revoked, expired, or its user not active. */
    readonly findSession: (claims: AccessClaims) => StoreEffect<AuthorizedSession | undefined>
    /** The same for an external token by its hash; undefined if deleted, expired, or its user inactive or without tokens.manage. */
    readonly findTokenSession: (hash: Uint8Array) => StoreEffect<AuthorizedSession | undefined>
    /** `loginKey` comes from `loginKeyOf`. */
    readonly findLogin: (loginKey: string) => StoreEffect<LoginRecord | undefined>
    /** Whether the login was used from the address within LOGIN_ADDRESS_DAYS; `address` comes from `addressKey`. */
    readonly isKnownAddress: (loginKey: string, address: string) => StoreEffect<boolean>
    /** Replaces the hash unless the password has changed since `login` was read. */
    readonly rehash: (login: LoginRecord, passwordHash: string) => StoreEffect<void>
    /** Records the address of `origin`. Undefined if the user was blocked or the password changed since `login` was read. */
    readonly openSession: (
      login: LoginRecord,
      refresh: RefreshRecord,
      origin: Origin
    ) => StoreEffect<User | undefined>
    /** Whether the hash is that of an open invitation. */
    readonly isInvitation: (hash: Uint8Array) => StoreEffect<boolean>
    /** Activates the invited user with their first password; of concurrent calls one succeeds. */
    readonly acceptInvitation: (
      hash: Uint8Array,
      passwordHash: string,
      origin: Origin
    ) => StoreEffect<LoginRecord | undefined>
    /**
     * Replaces `spent` by `next` with one conditional write: of concurrent calls at most one succeeds. Undefined if `spent` is not
     * the present token of a valid session of an active user.
     */
    readonly rotate: (
      spent: RefreshRecord,
      next: RefreshRecord,
      origin: Origin
    ) => StoreEffect<SessionUser | undefined>
    /** Revokes the session if `refresh` is one of its spent tokens; true if it did. */
    readonly revokeReused: (refresh: RefreshRecord, origin: Origin) => StoreEffect<boolean>
    /** Ends the caller's session, that of `refresh` if it is the same user's, and with `everywhere` all the user's. */
    readonly revoke: (
      session: AuthorizedSession,
      ended: { readonly everywhere: boolean; readonly refresh: RefreshRecord | undefined },
      origin: Origin
    ) => StoreEffect<void>
    readonly findUser: (instanceId: number, userId: number) => StoreEffect<User | undefined>
    /** Deletes a bounded number of ended sessions and spent tokens; returns how many. */
    readonly sweep: StoreEffect<number>
  }
>()("core/access/AccessStore") {}
