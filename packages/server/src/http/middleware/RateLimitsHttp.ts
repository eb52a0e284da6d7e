// Counts every authenticated request against its policy, and says on every answer what is left (docs/contract.md §1.1, §10).
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Counted, policies, RateLimits, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import {
  ConcurrencyLimit,
  type Quota,
  RATE_WINDOW_MILLIS,
  RateLimit
} from "@rapport/core/traffic/RateLimits.ts"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RecentCallers } from "./RecentCallers.ts"
import { makeWithBody } from "./BodiesAtOnce.ts"
import { bodyBytesMaxOf, carriesHistory, mayCarryHistory } from "./RequestBodyHttp.ts"
import { withRetryAfter } from "./RetryAfter.ts"

/** A body counts once for each MiB that it begins; one of unknown length counts as the largest that the route takes. */
const COUNTED_BODY_BYTES = 1024 * 1024

/** What of the body may be read. */
const bytesOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession
): number => {
  const largest = bodyBytesMaxOf(endpoint, session)
  const announced = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? largest : 0))
  return Math.min(announced || 0, largest)
}

const weightOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / COUNTED_BODY_BYTES))

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

/** What a request was counted as before; null where it cannot be made again. */
export const CountedBefore = Context.Reference<Map<string, Quota> | null>("server/http/CountedBefore", {
  defaultValue: () => null
})

/** How requests are counted, and how their places are held. */
export const makeCounting = Effect.gen(function* () {
  const rates = yield* RateLimit
  const places = yield* ConcurrencyLimit
  const callers = yield* RecentCallers
  return {
    /** Counts so much, once however often the request is made; what is left is to be shown. */
    take: (policy: TrafficPolicy, principal: string, amount: number): Effect.Effect<Quota> =>
      Effect.flatMap(CountedBefore, (before) => {
        const key = `${policy.perMinute} ${principal}`
        const counted = before?.get(key)
        if (counted !== undefined) return Effect.succeed(counted)
        return Effect.map(rates.take(policy.perMinute, principal, amount), (quota) => {
          before?.set(key, quota)
          if (quota.retryAfterMillis !== null && amount === 1) callers.noteUsedUp(policy, principal, quota)
          return quota
        })
      }),
    /** Counts a request and answers it while its places are free. Who finds none is counted all the same. */
    limited: <A, E, R, E2, R2>(
      declared: TrafficPolicy,
      session: AuthorizedSession,
      count: { readonly all: Effect.Effect<void, E2, R2>; readonly one: Effect.Effect<void, E2, R2> },
      answer: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | E2 | RateLimited, R | R2> =>
      Effect.suspend(() => {
        let counted = false
        const judged = Effect.suspend(() => {
          counted = true
          return Effect.andThen(count.all, answer)
        })
        // Its places are held while the body is read, too.
        return judged.pipe(
          places.within([
            [declared.atOnce, principalKey(session)],
            [declared.atOnceInstance, String(session.instanceId)]
          ]),
          Effect.tapError(() => (counted ? Effect.void : count.one))
        )
      })
  }
})

/** Fails where nothing was left. */
export const orTooMany = ({ retryAfterMillis }: Quota): Effect.Effect<void, RateLimited> =>
  retryAfterMillis === null ? Effect.void : Effect.fail(tooMany(retryAfterMillis))

export const rateLimitsLayer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const counting = yield* makeCounting
    const withBody = makeWithBody()

    const count = Effect.fnUntraced(function* (policy: TrafficPolicy, principal: string, amount: number) {
      const quota = yield* counting.take(policy, principal, amount)
      yield* showQuota(policy.name, quota)
      yield* orTooMany(quota)
    })

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const session = yield* CurrentSession
        const principal = principalKey(session)
        const declared: TrafficPolicy = Context.get(endpoint.annotations, Counted)
        const bytes = bytesOf(yield* HttpServerRequest.HttpServerRequest, endpoint, session)
        const counts = {
          all: count(declared, principal, weightOf(bytes)),
          one: count(declared, principal, 1)
        }
        if (!mayCarryHistory(endpoint, session))
          return yield* counting.limited(declared, session, counts, withBody(bytes, httpEffect))
        // What may be an import is counted as one before its body is read; it is counted again if it is none.
        const recounted = Effect.flatMap(carriesHistory(endpoint), (isImport) =>
          isImport ? Effect.void : counts.all
        )
        const imports = { ...counts, all: count(policies.appealImport, principal, weightOf(bytes)) }
        const answer = withBody(bytes, Effect.andThen(recounted, httpEffect))
        return yield* counting.limited(declared, session, imports, answer)
      }).pipe(withRetryAfter)
  })
)
