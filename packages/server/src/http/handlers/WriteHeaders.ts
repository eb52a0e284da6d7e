// The headers of an answer to a write (contract §1.3, §7, §9): ETag, Location and Idempotency-Replayed.
import { IdempotencyKeyRequired, InvalidRequest } from "@rapport/contract/Errors.ts"
import type { OnceResult } from "@rapport/core/receipts/Receipts.ts"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

export interface ResponseMeta {
  /** The status unless it is a replay; 200 by default. A replay of 204 stays 204. */
  readonly status?: 200 | 201 | 202 | 204
  readonly version?: number | undefined
  readonly location?: string
}

const setHeaders = (
  status: number | undefined,
  headers: Readonly<Record<string, string>>
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  HttpEffect.appendPreResponseHandler((_, response) => {
    const changed = HttpServerResponse.setHeaders(response, headers)
    // A failure while the answer is encoded keeps its own status.
    return Effect.succeed(
      status === undefined || response.status >= 400 ? changed : HttpServerResponse.setStatus(changed, status)
    )
  })

const headersOf = ({ location, version }: ResponseMeta): Record<string, string> => ({
  ...(version === undefined ? {} : { etag: `"${version}"` }),
  ...(location === undefined ? {} : { location })
})

/** Sets the version of a record as its ETag. */
export const setEtag = <A extends { readonly version: number }>(
  record: A
): Effect.Effect<A, never, HttpServerRequest.HttpServerRequest> =>
  Effect.as(setHeaders(undefined, headersOf({ version: record.version })), record)

/** The answer of a write. A replay is 200 with `Idempotency-Replayed: true`, whatever status the first answer had. */
export const setWriteHeaders = <A>(
  { answer, replayed }: OnceResult<A>,
  meta: ResponseMeta = {}
): Effect.Effect<A, never, HttpServerRequest.HttpServerRequest> =>
  Effect.as(
    setHeaders(replayed && meta.status !== 204 ? 200 : (meta.status ?? 200), {
      ...headersOf(meta),
      ...(replayed ? { "idempotency-replayed": "true" } : {})
    }),
    answer
  )

/** Headers of a route that takes an idempotency key. */
export interface Keyed {
  readonly "idempotency-key"?: string | null
}
/** Headers of a route that changes a version. */
export interface Conditional {
  readonly "if-match"?: number
}

/** The idempotency key of a request, or null. */
export const keyIn = (headers: Keyed): string | null => headers["idempotency-key"] ?? null

/** The key of a route that requires one. */
export const requiredKeyIn = (headers: Keyed): Effect.Effect<string, IdempotencyKeyRequired> => {
  const key = keyIn(headers)
  return key === null ? Effect.fail(new IdempotencyKeyRequired()) : Effect.succeed(key)
}

const refuseVersion = (message: string) =>
  Effect.fail(
    new InvalidRequest({
      detail: `expectedVersion ${message}`,
      errors: [{ path: "expectedVersion", message }]
    })
  )

/** The expected version of a PATCH: from its body, from If-Match, or from both if they are equal. */
export const versionIn = (
  expectedVersion: number | undefined,
  headers: Conditional
): Effect.Effect<number, InvalidRequest> => {
  const ifMatch = headers["if-match"]
  const version = expectedVersion ?? ifMatch
  if (version === undefined) return refuseVersion("is required, here or as the header If-Match")
  return ifMatch !== undefined && ifMatch !== version
    ? refuseVersion("must be what If-Match says")
    : Effect.succeed(version)
}
