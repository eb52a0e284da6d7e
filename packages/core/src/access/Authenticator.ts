// Authenticates a credential: first without the database, then with it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Unauthenticated } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer, Struct } from "effect"
import { Base64 } from "effect/encoding"
import { orUnavailable, traceAs } from "../failures/SourceUnavailable.ts"
import { CurrentTenant, tenantOf } from "../traffic/TenantQueue.ts"
import { AccessStore } from "./AccessStore.ts"
import { BoundedMap } from "../values/BoundedMap.ts"
import { AccessTokens } from "./AccessTokens.ts"
import type { Caller } from "./Caller.ts"
import { OpaqueTokens } from "./OpaqueTokens.ts"
import { TokenUses } from "./TokenUses.ts"

// The same text for every reason that only the database knows, so that it is not revealed.
const SESSION_ENDED = "the session of the access token has ended: log in again"
const EXTERNAL_MALFORMED = "the value of x-auth-token is no external token: it is malformed or incomplete"
const EXTERNAL_UNKNOWN =
  "the external token is not valid: it is unknown, expired or deleted, or its maker may not use it"

/** A token and the header it came in. */
export interface Credential {
  readonly scheme: "bearer" | "external"
  readonly token: string
}

/** Valid external tokens whose callers are cached. */
const KNOWN_TOKENS_MAX = 10_000

/**
 * Both schemes lead to the same session (contract §2). An invalid token (malformed, tampered, expired, of another kind) is
 * Unauthenticated even if the database is unavailable; a token that needs the database is then SearchUnavailable with reason
 * database_unavailable, never Unauthenticated (contract §1, "Order of checks").
 */
export class Authenticator extends Context.Service<Authenticator>()("core/access/Authenticator", {
  make: Effect.gen(function* () {
    const accessTokens = yield* AccessTokens
    const opaqueTokens = yield* OpaqueTokens
    const store = yield* AccessStore
    const uses = yield* TokenUses
    const externalCallers = new BoundedMap<string, Caller>(KNOWN_TOKENS_MAX)
    const requireCaller = Effect.fnUntraced(function* (found: AuthorizedSession | undefined, detail: string) {
      return found ?? (yield* new Unauthenticated({ detail }))
    })
    return {
      /** Verifies an access token without the database. */
      verify: accessTokens.verify,

      /** Whether a text has the form and check digits of an external token. */
      isExternal: (token: string): boolean => opaqueTokens.openExternal(token) !== undefined,

      /** The value after `Bearer`: an access token. */
      bearer: traceAs("Authenticator.bearer")(
        Effect.fnUntraced(function* (token: string) {
          const claims = yield* accessTokens.verify(token)
          return yield* requireCaller(
            yield* Effect.provideService(store.findSession(claims), CurrentTenant, tenantOf(claims)),
            SESSION_ENDED
          )
        }, orUnavailable)
      ),

      /** The value of `x-auth-token`: an external token; a JWT is refused here. */
      external: traceAs("Authenticator.external")(
        Effect.fnUntraced(function* (token: string) {
          const hash = opaqueTokens.openExternal(token)
          if (hash === undefined) return yield* new Unauthenticated({ detail: EXTERNAL_MALFORMED })
          const key = cacheKeyOf(hash)
          const found = yield* store.findTokenSession(hash)
          if (found === undefined) externalCallers.delete(key)
          const session = yield* requireCaller(found, EXTERNAL_UNKNOWN)
          externalCallers.set(key, Struct.pick(session, ["instanceId", "sessionId", "tokenId", "userId"]))
          yield* uses.note(session)
          return session
        }, orUnavailable)
      ),

      /** The caller of an external token that was valid when it was last used. Enough for limits, not for access. */
      cachedCaller: (token: string): Caller | undefined => {
        const hash = opaqueTokens.openExternal(token)
        return hash && externalCallers.get(cacheKeyOf(hash))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(Authenticator, Authenticator.make)
}

const cacheKeyOf = (hash: Uint8Array): string => Base64.encode(hash)
