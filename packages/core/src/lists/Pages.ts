// Reads one page of a list, from parameters to response, for every module.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AccessDenied } from "@rapport/contract/Errors.ts"
import type { Collection, QueryRecord } from "@rapport/contract/lists/Collection.ts"
import { Context, Effect, Layer } from "effect"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { Cursors } from "./Cursors.ts"
import { csvLines } from "./ListLines.ts"
import { listPage, type ListRequest, listRequest, type ListRows } from "./ListRequest.ts"

/** The query of a list: `query` is decoded, `names` are the parameters in the order in which they were sent. */
export interface ListParameters {
  readonly query: QueryRecord
  readonly names: ReadonlyArray<string>
}

export interface PageOptions {
  readonly session: AuthorizedSession
  readonly collection: Collection
  readonly parameters: ListParameters
  /** Checked after the schema of the request, before anything is read. */
  readonly access: Effect.Effect<void, AccessDenied>
  readonly rows: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>
}

export class Pages extends Context.Service<Pages>()("core/lists/Pages", {
  make: Effect.gen(function* () {
    const cursors = yield* Cursors
    const requestOf = Effect.fnUntraced(function* (options: PageOptions) {
      const { access, collection, parameters, session } = options
      const request = yield* listRequest(
        cursors,
        session.instanceId,
        collection,
        parameters.query,
        parameters.names
      )
      yield* access
      return request
    })
    return {
      page: Effect.fnUntraced(function* (options: PageOptions) {
        const request = yield* requestOf(options)
        return listPage(cursors, request, yield* options.rows(request))
      }, orUnavailable),

      /** All records as a CSV file (contract §1.2, "Files"). */
      csv: Effect.fnUntraced(function* (options: PageOptions) {
        const request = yield* requestOf(options)
        return yield* csvLines(options.collection.members, request, options.rows)
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Pages, Pages.make)
}
