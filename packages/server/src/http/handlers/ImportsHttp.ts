// Import batches over HTTP: each handler is one call of the use case (docs/contract.md §5).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requiredKeyIn, written } from "./WriteHeaders.ts"

export const importsLayer = HttpApiBuilder.group(
  Api,
  "imports",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* Imports
    return handlers
      .handle("importBatch", ({ headers, payload }) =>
        Effect.gen(function* () {
          const run = yield* imports.run(yield* CurrentSession, payload, yield* requiredKeyIn(headers))
          return { replayed: run.replayed, batch: yield* written(run, { status: 201 }) }
        })
      )
      .handle("getImportBatch", ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => imports.get(session, params.batch_id))
      )
  })
)
