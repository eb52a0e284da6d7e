// What a list route hands to its use case (the decoded parameters, and their names in the order in which they were sent) and what
// it answers with.
import type { QueryRecord, Value } from "@rapport/contract/lists/Collection.ts"
import type { ListPage } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** The parameters of a list route, decoded. */
export type Decoded = { readonly [name: string]: Value | ReadonlyArray<Value> | undefined }
interface ListParameters {
  readonly query: QueryRecord
  readonly names: ReadonlyArray<string>
}

/** The order of several `order[…]` is that of the query string, not of the decoded record (contract §1.2). */
export const listParameters = (
  decoded: Decoded
): Effect.Effect<ListParameters, never, HttpServerRequest.ParsedSearchParams> =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (params) => ({
    query: Object.fromEntries(
      Object.entries(decoded).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    ),
    names: Object.keys(params)
  }))

/** A page, as it was rendered. */
export const pageAnswer = ({ text }: ListPage): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType: "application/json" })
