// Requests without a valid token: so many per address, refused before they cost the database anything (docs/contract.md §12).
import { AnonymousRateLimits } from "@rapport/contract/http/RateLimits.ts"
import { RateLimited, type Unauthenticated } from "@rapport/contract/Errors.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { RateLimit } from "@rapport/core/traffic/RateLimits.ts"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { withRetryAfter } from "./RetryAfter.ts"

/** Opaque tokens that were valid lately: they need not share the quota of those who guess at their address. */
const KNOWN_TOKENS_MAX = 10_000

/** Takes of the quota of the address; 0 asks whether something is left. A request in memory has no address. */
export const counted = Effect.fnUntraced(function* (amount: number) {
  const address = yield* CurrentAddress
  if (address === null) return
  const rates = yield* RateLimit
  const { retryAfterMillis } = yield* rates.take("ANONYMOUS_PER_MINUTE", addressKey(address), amount)
  if (retryAfterMillis === null) return
  return yield* new RateLimited({
    detail: "too many requests without a valid token from this address",
    limit: { kind: "rate", retryAfterMs: retryAfterMillis }
  })
})

/** Login, refresh, invitations: every request counts. */
export const anonymousLayer = Layer.effect(
  AnonymousRateLimits,
  Effect.gen(function* () {
    const rates = yield* RateLimit
    const denials = yield* Denials
    return (httpEffect, { endpoint }) => {
      const refusal = { reason: "rate_limited", operation: endpoint.identifier, session: null } as const
      const admitted = Effect.tapError(Effect.provideService(counted(1), RateLimit, rates), () =>
        denials.note(refusal)
      )
      return Effect.andThen(admitted, httpEffect).pipe(withRetryAfter)
    }
  })
)

/**
 * Authentication by a token counts where it fails. Past the limit an opaque token that is not known to be valid is
 * refused before the database is asked; a signed one is judged by its signature, which costs no statement.
 */
export const makeTokenGuard = Effect.map(RateLimit, (rates) => {
  const known = new Set<string>()
  const limited = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, RateLimit, rates)
  const refusedCounts = <A, E, R>(
    effect: Effect.Effect<A, E | Unauthenticated, R>
  ): Effect.Effect<A, E | Unauthenticated | RateLimited, R> =>
    Effect.tapError(effect, (error) => (isUnauthenticated(error) ? limited(counted(1)) : Effect.void))
  return {
    signed: refusedCounts,
    opaque: <A, E, R>(token: string, effect: Effect.Effect<A, E | Unauthenticated, R>) =>
      Effect.suspend(() => {
        const hash = createHash("sha256").update(token).digest("base64")
        const isKnown = known.delete(hash)
        return Effect.andThen(isKnown ? Effect.void : limited(counted(0)), refusedCounts(effect)).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              known.add(hash)
              if (known.size > KNOWN_TOKENS_MAX) for (const oldest of known) return known.delete(oldest)
              return false
            })
          )
        )
      })
  }
})

const isUnauthenticated = (error: unknown): boolean =>
  typeof error === "object" && error !== null && Reflect.get(error, "code") === "UNAUTHENTICATED"
