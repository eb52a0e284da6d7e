// The decoded parameters of a list route, in the order in which they were sent.
import type { QueryRecord, Value } from "@rapport/contract/lists/Collection.ts"
import type { ListPage } from "@rapport/core/lists/ListRequest.ts"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** The parameters of a list route, decoded. */
export type DecodedQuery = { readonly [name: string]: Value | ReadonlyArray<Value> | undefined }
interface ListParameters {
  readonly query: QueryRecord
  readonly names: ReadonlyArray<string>
}

/** Several `order[…]` apply in the order of the query string, which the decoded record loses (contract §1.2). */
export const listParameters = (
  decoded: DecodedQuery
): Effect.Effect<ListParameters, never, HttpServerRequest.ParsedSearchParams> =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (params) => ({
    query: Object.fromEntries(
      Object.entries(decoded).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    ),
    names: Object.keys(params)
  }))

/** A rendered page. */
export const pageAnswer = ({ text }: ListPage): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType: "application/json" })

export const CSV = "text/csv; charset=utf-8"
export const NDJSON = "application/x-ndjson"

/** A file of lines. Rows are only rendered as fast as the caller takes them. */
export const fileAnswer = <E>(lines: Stream.Stream<string, E>, contentType: string) =>
  HttpServerResponse.stream(Stream.encodeText(lines), { contentType })
