// Port of the access tokens: short-lived, signed, judged without the database (contract §2).
import type { Unauthenticated } from "@rapport/contract/Errors.ts"
import { Context, type Effect } from "effect"

/** What an access token says: who, where, and in which session (the family of its refresh token). */
export interface AccessClaims {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string
}

export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** A token that is right for ACCESS_TOKEN_SECONDS from now. */
    readonly issue: (claims: AccessClaims) => Effect.Effect<string>
    /** Fails for whatever is not a token of ours that is valid now: form, signature, algorithm, type, audience, time. */
    readonly verify: (token: string) => Effect.Effect<AccessClaims, Unauthenticated>
    /** The claims of a token that was verified before and is still valid, without another verification. */
    readonly verified: (token: string) => Effect.Effect<AccessClaims | undefined>
  }
>()("core/access/AccessTokens") {}
