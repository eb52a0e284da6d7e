// Custom data over HTTP: each handler is one call of a use case (docs/contract.md §9.2).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { listParameters, pageAnswer, type Decoded } from "./ListParameters.ts"
import { changed, listing } from "./Records.ts"
import { keyIn, shown, versionIn, written } from "./WriteHeaders.ts"

const root = "/kw/api/v1/custom-data"
const contentTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" }

export const customDataLayer = HttpApiBuilder.group(
  Api,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    const records = yield* CustomRecords
    return handlers
      .handle("listModels", listing(models.list))
      .handle("getModel", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* models.get(yield* CurrentSession, params.name))
        })
      )
      .handle("createModel", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* models.create(yield* CurrentSession, payload, keyIn(headers))
          const { name, version } = made.answer
          return yield* written(made, { status: 201, version, location: `${root}/models/${name}` })
        })
      )
      .handle("updateModel", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const session = yield* CurrentSession
          return yield* changed(yield* models.update(session, params.name, version, change, keyIn(headers)))
        })
      )
      .handle("deleteModel", ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => models.remove(session, params.name))
      )
      .handle(
        "listRecords",
        ({ params, query }: { readonly params: { readonly model: string }; readonly query: Decoded }) =>
          Effect.gen(function* () {
            return pageAnswer(
              yield* records.list(yield* CurrentSession, params.model, yield* listParameters(query))
            )
          })
      )
      .handle(
        "exportRecords",
        ({ params, query }: { readonly params: { readonly model: string }; readonly query: Decoded }) =>
          Effect.gen(function* () {
            const { format, lines } = yield* records.export(
              yield* CurrentSession,
              params.model,
              yield* listParameters(query)
            )
            // What its reader has not taken is not made.
            return HttpServerResponse.stream(Stream.encodeText(lines), { contentType: contentTypes[format] })
          })
      )
      .handle("searchRecords", ({ params, payload }) =>
        Effect.gen(function* () {
          return pageAnswer(yield* records.search(yield* CurrentSession, params.model, payload))
        })
      )
      .handle("upsertRecords", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          return yield* written(yield* records.upsert(session, params.model, payload, keyIn(headers)))
        })
      )
      .handle("getRecord", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* records.get(yield* CurrentSession, params.model, params.id))
        })
      )
      .handle("createRecord", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const made = yield* records.create(yield* CurrentSession, params.model, payload, keyIn(headers))
          const { id, version } = made.answer
          const location = `${root}/${params.model}/records/${id}`
          return yield* written(made, { status: 201, version, location })
        })
      )
      .handle("updateRecord", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(payload.expectedVersion, headers)
          const session = yield* CurrentSession
          return yield* changed(
            yield* records.update(session, params.model, params.id, version, payload.values, keyIn(headers))
          )
        })
      )
      .handle("deleteRecord", ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => records.remove(session, params.model, params.id))
      )
  })
)
