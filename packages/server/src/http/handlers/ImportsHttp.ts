// Import batches over HTTP: each handler is one call of the use case (contract §5).
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { IMPORT_ITEMS_COUNTED } from "@rapport/contract/Limits.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { countRequests } from "../middleware/RateLimitsHttp.ts"
import { requiredKeyIn, setWriteHeaders } from "./WriteHeaders.ts"

export const importsLayer = HttpApiBuilder.group(
  Api,
  "imports",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* Imports
    const count = countRequests(yield* Admission)
    /** The batch counted once before its body was read. This counts the rest of its work. */
    const countItems = (session: AuthorizedSession, items: number) =>
      count(policies.contextWrite, session, Math.ceil(items / IMPORT_ITEMS_COUNTED) - 1)
    return handlers.handleAll({
      createImportBatch: ({ headers, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const counted = countItems(session, payload.items.length)
          const run = yield* imports.run(session, payload, yield* requiredKeyIn(headers), counted)
          return { replayed: run.replayed, batch: yield* setWriteHeaders(run, { status: 201 }) }
        }),
      getImportBatch: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => imports.get(session, params.batch_id))
    })
  })
)
