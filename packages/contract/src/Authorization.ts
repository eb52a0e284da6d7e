// Both schemes of authentication, one middleware, one session (docs/contract.md §2).
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Permission, Role } from "./access/Permission.ts"
import { SearchUnavailable, Unauthenticated } from "./Errors.ts"

/**
 * Who asks, with the rights of this moment: a user in a session (`sessionId`), or an external token (`tokenId`), whose
 * `userId` is its maker. `permissions` of a token are its list cut to its maker's present ones; `roles`, groups,
 * subjects and colleagues (members of common groups, oneself included) are the user's (docs/contract.md §2).
 */
export interface AuthorizedSession {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string | null
  readonly tokenId: number | null
  readonly roles: ReadonlyArray<Role>
  readonly permissions: ReadonlySet<Permission>
  readonly skillGroupIds: ReadonlyArray<number>
  readonly subjectIds: ReadonlyArray<number>
  readonly colleagueIds: ReadonlyArray<number>
}

/** The session of the request that is being answered. */
export class CurrentSession extends Context.Service<CurrentSession, AuthorizedSession>()(
  "rapport/CurrentSession"
) {}

/**
 * One text per principal, which limits and receipts are counted by: all sessions of a user are one, an external token is
 * one of its own (docs/contract.md §10).
 */
export const principalKey = ({ instanceId, tokenId, userId }: AuthorizedSession): string =>
  tokenId === null ? `${instanceId}/user/${userId}` : `${instanceId}/token/${tokenId}`

/** Judges first of all (401), or 503 where the database is needed and away. Exactly one of the schemes must be there. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentSession }>()(
  "rapport/Authorization",
  {
    requiredForClient: true,
    error: [Unauthenticated, SearchUnavailable],
    security: {
      bearer: HttpApiSecurity.bearer,
      externalToken: HttpApiSecurity.apiKey({ key: "x-auth-token", in: "header" })
    }
  }
) {}
