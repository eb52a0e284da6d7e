// The `Retry-After` header of 429, 503 and of a write that still runs (contract §1.1).
import { IdempotencyInProgress, RateLimited, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

const wholeSeconds = (millis: number): number => Math.max(1, Math.ceil(millis / 1000))

/** Undefined for an error without a retry time. */
const retryAfterSeconds = (error: unknown): number | undefined => {
  if (error instanceof RateLimited) return wholeSeconds(error.limit.retryAfterMs)
  return error instanceof SearchUnavailable || error instanceof IdempotencyInProgress ? 1 : undefined
}

/** The header for a wait of so many milliseconds. */
export const retryAfter = (millis: number) => ({ "retry-after": String(wholeSeconds(millis)) })

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
