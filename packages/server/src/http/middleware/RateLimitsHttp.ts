// Counts every authenticated request against its policy, and says on every answer what is left (docs/contract.md §1.1, §10).
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { TrafficLimit } from "@rapport/contract/Limits.ts"
import { Counted, policies, Traffic, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import { Context, Duration, Effect, Layer } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { carriesHistory, mayCarryHistory } from "./HistoryBody.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { makePermits } from "./ConcurrencyLimit.ts"
import { withRetryAfter } from "./RetryAfter.ts"

const windowMillis = 60_000
/** When to come back after a refusal for concurrency: nobody knows when a place gets free. */
const concurrencyRetryMillis = 1_000

const refused = (kind: "rate" | "concurrency", retryAfterMs: number) =>
  new RateLimited({
    detail:
      kind === "rate"
        ? "too many requests in this minute"
        : "too many requests of this kind run at the same time",
    limit: { kind, retryAfterMs }
  })

// Made where it is needed alone: an error takes a look at the stack.
const crowded = Effect.suspend(() => Effect.fail(refused("concurrency", concurrencyRetryMillis)))

interface Quota {
  readonly remaining: number
  readonly wholeAfterMillis: number
}

const showQuota = ({ name }: TrafficPolicy, limit: number, { remaining, wholeAfterMillis }: Quota) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        "ratelimit-policy": `"${name}";q=${limit};w=${windowMillis / 1000}`,
        ratelimit: `"${name}";r=${remaining};t=${Math.ceil(wholeAfterMillis / 1000)}`
      })
    )
  )

export const trafficLayer = Layer.effect(
  Traffic,
  Effect.gen(function* () {
    const { limits } = yield* HttpSettings
    const limiter = yield* RateLimiter.RateLimiter
    const permits = new Map(
      Object.values<TrafficPolicy>(policies)
        .flatMap(({ atOnce, atOnceInstance }) => [atOnce, atOnceInstance])
        .filter((name): name is TrafficLimit => name !== undefined)
        .map((name) => [name, makePermits(limits[name])])
    )

    /** A token bucket: the first N pass, then one more every window / N. */
    const count = Effect.fnUntraced(function* (policy: TrafficPolicy, principal: string) {
      const limit = limits[policy.perMinute]
      const consumed = limiter.consume({
        key: `${policy.name}/${principal}`,
        limit,
        window: windowMillis,
        algorithm: "token-bucket"
      })
      const quota = yield* Effect.catchTag(consumed, "RateLimiterError", ({ reason }) => {
        // A limiter that is away must not take the service with it.
        if (reason._tag === "RateLimitStoreError")
          return Effect.as(Effect.logWarning("the limiter is away", reason), undefined)
        const retryAfterMs = Math.max(1, Math.ceil(Duration.toMillis(reason.retryAfter)))
        const wholeAfterMillis = windowMillis - windowMillis / limit + retryAfterMs
        return Effect.andThen(
          showQuota(policy, limit, { remaining: 0, wholeAfterMillis }),
          Effect.fail(refused("rate", retryAfterMs))
        )
      })
      if (quota === undefined) return
      const { remaining, resetAfter } = quota
      yield* showQuota(policy, limit, { remaining, wholeAfterMillis: Duration.toMillis(resetAfter) })
    })

    /** What may be an import is counted as one before its body is read; it is counted again if it is none. */
    const counted = Effect.fnUntraced(function* (
      endpoint: HttpApiEndpoint.Top,
      session: AuthorizedSession,
      principal: string
    ) {
      const policy: TrafficPolicy = Context.get(endpoint.annotations, Counted)
      if (mayCarryHistory(endpoint, session)) {
        yield* count(policies.appealImport, principal)
        if (yield* carriesHistory(endpoint)) return policies.appealImport
      }
      yield* count(policy, principal)
      return policy
    })

    const within = <A, E, R>(name: TrafficLimit | undefined, key: string, effect: Effect.Effect<A, E, R>) =>
      permits.get(name ?? "REST_PER_MINUTE")?.within(key, effect, crowded) ?? effect

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const session = yield* CurrentSession
        const principal = principalKey(session)
        const policy: TrafficPolicy = yield* counted(endpoint, session, principal)
        return yield* within(
          policy.atOnce,
          principal,
          within(policy.atOnceInstance, String(session.instanceId), httpEffect)
        )
      }).pipe(withRetryAfter)
  })
)
