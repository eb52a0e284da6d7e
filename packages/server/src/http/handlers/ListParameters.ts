// What a list route hands to its use case: the decoded parameters, and their names in the order in which they were sent.
import type { QueryRecord, Value } from "@rapport/contract/lists/Collection.ts"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** The parameters of a list route, decoded. */
export type Decoded = { readonly [name: string]: Value | ReadonlyArray<Value> | undefined }
interface ListParameters {
  readonly query: QueryRecord
  readonly names: ReadonlyArray<string>
}

/** The order of several `order[…]` is that of the query string, not of the decoded record (docs/contract.md §1.2). */
export const listParameters = (
  decoded: Decoded
): Effect.Effect<ListParameters, never, HttpServerRequest.ParsedSearchParams> =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (params) => ({
    query: Object.fromEntries(
      Object.entries(decoded).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    ),
    names: Object.keys(params)
  }))
