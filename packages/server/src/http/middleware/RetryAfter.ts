// The `Retry-After` header of 429, 503 and of a write that still runs (contract §1.1).
import { IdempotencyInProgress, RateLimited, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Undefined for an error without a retry time. */
const retryAfterSeconds = (error: unknown): number | undefined => {
  if (error instanceof RateLimited) return Math.max(1, Math.ceil(error.limit.retryAfterMs / 1000))
  return error instanceof SearchUnavailable || error instanceof IdempotencyInProgress ? 1 : undefined
}

export const retryAfterHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const seconds = retryAfterSeconds(error)
  return seconds === undefined ? {} : { "retry-after": String(seconds) }
}

/** Sets the header on the answer if `effect` fails. */
export const withRetryAfter = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.tapError(effect, (error) =>
    retryAfterSeconds(error) === undefined
      ? Effect.void
      : HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, retryAfterHeaders(error)))
        )
  )
