// Counts every authenticated request against its policy, and says on every answer what is left (docs/contract.md §1.1, §10).
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Counted, policies, RateLimits, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import { ConcurrencyLimit } from "@rapport/core/traffic/ConcurrencyLimit.ts"
import { type Quota, RATE_WINDOW_MILLIS, RateLimit } from "@rapport/core/traffic/RateLimit.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/Tenant.ts"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RecentCallers } from "../admission/RecentCallers.ts"
import { bodyBytesMaxOf, carriesHistory, mayCarryHistory } from "./HistoryBody.ts"
import { withRetryAfter } from "./RetryAfter.ts"

/** A body counts once for each MiB that it begins; one of unknown length counts as the largest that the route takes. */
const COUNTED_BODY_BYTES = 1024 * 1024

const weightOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession
): number => {
  const largest = bodyBytesMaxOf(endpoint, session)
  const announced = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? largest : 0))
  return Math.max(1, Math.ceil(Math.min(announced || 0, largest) / COUNTED_BODY_BYTES))
}

export const quotaHeaders = (name: string, { limit, remaining, wholeAfterMillis }: Quota) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${RATE_WINDOW_MILLIS / 1000}`,
  ratelimit: `"${name}";r=${remaining};t=${Math.ceil(wholeAfterMillis / 1000)}`
})

/** What is left shows on the answer; what is counted later shows instead. */
export const showQuota = (name: string, quota: Quota) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, quotaHeaders(name, quota)))
  )

export const tooMany = (retryAfterMs: number) =>
  new RateLimited({ detail: "too many requests in this minute", limit: { kind: "rate", retryAfterMs } })

export const rateLimitsLayer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const rates = yield* RateLimit
    const places = yield* ConcurrencyLimit
    const callers = yield* RecentCallers

    const count = Effect.fnUntraced(function* (policy: TrafficPolicy, principal: string, amount: number) {
      const quota = yield* rates.take(policy.perMinute, principal, amount)
      yield* showQuota(policy.name, quota)
      if (quota.retryAfterMillis === null) return
      if (amount === 1) callers.noteUsedUp(policy, principal, quota)
      return yield* tooMany(quota.retryAfterMillis)
    })

    /** What may be an import is counted as one before its body is read; it is counted again if it is none. */
    const countAll = Effect.fnUntraced(function* (
      endpoint: HttpApiEndpoint.Top,
      session: AuthorizedSession,
      principal: string
    ) {
      const weight = weightOf(yield* HttpServerRequest.HttpServerRequest, endpoint, session)
      if (mayCarryHistory(endpoint, session)) {
        yield* count(policies.appealImport, principal, weight)
        if (yield* carriesHistory(endpoint)) return
      }
      yield* count(Context.get(endpoint.annotations, Counted), principal, weight)
    })

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const session = yield* CurrentSession
        const principal = principalKey(session)
        const declared: TrafficPolicy = Context.get(endpoint.annotations, Counted)
        let counted = false
        const judged = Effect.gen(function* () {
          counted = true
          yield* countAll(endpoint, session, principal)
          return yield* httpEffect
        })
        // Its places are held while the body is read, too. Who finds none is counted all the same.
        return yield* judged.pipe(
          places.within([
            [declared.atOnce, principal],
            [declared.atOnceInstance, String(session.instanceId)]
          ]),
          Effect.tapError(() =>
            Effect.when(
              count(declared, principal, 1),
              Effect.sync(() => !counted)
            )
          ),
          Effect.provideService(CurrentTenant, tenantOf(session))
        )
      }).pipe(withRetryAfter)
  })
)
