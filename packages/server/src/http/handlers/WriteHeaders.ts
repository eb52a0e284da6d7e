// What the headers of an answer say of a record and of a write: ETag, Location, and whether it is a replay
// (contract §1.3, §7, §9).
import { IdempotencyKeyRequired, InvalidRequest } from "@rapport/contract/Errors.ts"
import type { Effected } from "@rapport/core/receipts/Receipts.ts"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

export interface ResponseMeta {
  /** Of an answer that is no replay; 200 where it is left out. A replay of 204 is 204: it has nothing to show. */
  readonly status?: 200 | 201 | 202 | 204
  readonly version?: number
  readonly location?: string
}

const setHeaders = (
  status: number | undefined,
  headers: Readonly<Record<string, string>>
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  HttpEffect.appendPreResponseHandler((_, response) => {
    const changed = HttpServerResponse.setHeaders(response, headers)
    // What fails after this, while the answer is encoded, keeps its own status.
    return Effect.succeed(
      status === undefined || response.status >= 400 ? changed : HttpServerResponse.setStatus(changed, status)
    )
  })

const headersOf = ({ location, version }: ResponseMeta): Record<string, string> => ({
  ...(version === undefined ? {} : { etag: `"${version}"` }),
  ...(location === undefined ? {} : { location })
})

/** A record that is read: its version as ETag. */
export const shown = <A extends { readonly version: number }>(
  record: A
): Effect.Effect<A, never, HttpServerRequest.HttpServerRequest> =>
  Effect.as(setHeaders(undefined, headersOf({ version: record.version })), record)

/** The same from the JSON of the record. */
export const shownAs = (json: string, version: number): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, { contentType: "application/json", headers: headersOf({ version }) })

/** A replay is 200 with `Idempotency-Replayed: true`, whatever the first answer was. */
const metaOf = (replayed: boolean, meta: ResponseMeta) => ({
  status: replayed && meta.status !== 204 ? 200 : (meta.status ?? 200),
  headers: { ...headersOf(meta), ...(replayed ? { "idempotency-replayed": "true" } : {}) }
})

/** The answer of a write. */
export const written = <A>(
  { answer, replayed }: Effected<A>,
  meta: ResponseMeta = {}
): Effect.Effect<A, never, HttpServerRequest.HttpServerRequest> => {
  const { headers, status } = metaOf(replayed, meta)
  return Effect.as(setHeaders(status, headers), answer)
}

/** The same from the JSON of the answer. */
export const writtenAs = (
  json: string,
  replayed: boolean,
  meta: ResponseMeta
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, { contentType: "application/json", ...metaOf(replayed, meta) })

/** Headers of a route that takes an idempotency key. */
export interface Keyed {
  readonly "idempotency-key"?: string | null
}
/** Headers of a route that changes a version. */
export interface Conditional {
  readonly "if-match"?: number
}

/** The key of a request as the handlers get it; null where there is none. */
export const keyIn = (headers: Keyed): string | null => headers["idempotency-key"] ?? null

/** The key of a route that requires one. */
export const requiredKeyIn = (headers: Keyed): Effect.Effect<string, IdempotencyKeyRequired> => {
  const key = keyIn(headers)
  return key === null ? Effect.fail(new IdempotencyKeyRequired()) : Effect.succeed(key)
}

const refused = (message: string) =>
  Effect.fail(
    new InvalidRequest({
      detail: `expectedVersion ${message}`,
      errors: [{ path: "expectedVersion", message }]
    })
  )

/** The version that a PATCH was made from: in its body, or in If-Match, or in both and equal. */
export const versionIn = (
  expectedVersion: number | undefined,
  headers: Conditional
): Effect.Effect<number, InvalidRequest> => {
  const ifMatch = headers["if-match"]
  const version = expectedVersion ?? ifMatch
  if (version === undefined) return refused("is required, here or as the header If-Match")
  return ifMatch !== undefined && ifMatch !== version
    ? refused("must be what If-Match says")
    : Effect.succeed(version)
}
