// The door: both schemes of authentication, one middleware, one session (docs/contract.md §2).
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Permission, Role } from "./access/Permission.ts"
import { SearchUnavailable, Unauthenticated } from "./Errors.ts"

/** A principal is a user or an external token; limits and receipts are counted per principal (docs/contract.md §10). */
export type Principal =
  | { readonly kind: "user"; readonly userId: number; readonly sessionId: string }
  | { readonly kind: "token"; readonly tokenId: number; readonly userId: number }

/** `permissions` are those of this moment: of a token, its list cut to its maker's present ones (docs/contract.md §2). */
export interface AuthorizedSession {
  readonly instanceId: number
  readonly principal: Principal
  readonly roles: ReadonlyArray<Role>
  readonly permissions: ReadonlySet<Permission>
}

/** The session of the request that is being answered. */
export class CurrentSession extends Context.Service<CurrentSession, AuthorizedSession>()(
  "rapport/CurrentSession"
) {}

/** One text per principal: all sessions of a user are one. */
export const principalKey = ({ instanceId, principal }: AuthorizedSession): string =>
  principal.kind === "user"
    ? `${instanceId}/user/${principal.userId}`
    : `${instanceId}/token/${principal.tokenId}`

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
