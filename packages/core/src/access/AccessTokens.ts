// Port of access tokens: short-lived and signed, verified without the database (contract §2).
import type { Unauthenticated } from "@rapport/contract/Errors.ts"
import { Context, type Effect } from "effect"

/** The claims of an access token. */
export interface AccessClaims {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string
}

export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** A token that is valid for ACCESS_TOKEN_SECONDS. */
    readonly issue: (claims: AccessClaims) => Effect.Effect<string>
    /** Checks form, signature, algorithm, type, audience and time. */
    readonly verify: (token: string) => Effect.Effect<AccessClaims, Unauthenticated>
  }
>()("core/access/AccessTokens") {}
