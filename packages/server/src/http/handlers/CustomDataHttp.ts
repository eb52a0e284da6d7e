// Custom data over HTTP: each handler is one call of a use case (docs/contract.md §9.2).
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import type { QueryRecord } from "@rapport/contract/lists/Collection.ts"
import { CustomRecord, SearchRequest, Upserted } from "@rapport/contract/records/CustomRecord.ts"
import { Model, ModelName } from "@rapport/contract/records/Model.ts"
import { RecordsApi } from "@rapport/contract/records/RecordsApi.ts"
import { pathId } from "@rapport/contract/values/Ids.ts"
import { sentBackJson } from "@rapport/core/json/SentBackJson.ts"
import type { Effected } from "@rapport/core/receipts/Receipts.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes, plain, responseOf, throughFramework } from "../lean/LeanPath.ts"
import { leanPage, listParameters, type Decoded } from "./ListParameters.ts"
import { listing } from "./Records.ts"
import { keyIn, type ResponseMeta, shownAs, versionIn, writtenAs } from "./WriteHeaders.ts"

const root = "/kw/api/v1/custom-data"
const contentTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" }

const encodeModel = Schema.encodeEffect(Model)
const encodeRecord = Schema.encodeEffect(CustomRecord)
const encodeUpserted = Schema.encodeEffect(Upserted)

/** What a write answers, its numbers as they can be sent back. */
const answered = <A, I>(
  encode: (answer: A) => Effect.Effect<I, Schema.SchemaError>,
  { answer, replayed }: Effected<A>,
  meta: ResponseMeta = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.orDie(encode(answer)), (encoded) =>
    responseOf(writtenAs(sentBackJson(encoded), replayed, meta))
  )

interface OfModel {
  readonly params: { readonly model: string }
}

/** Reads as they leave, through the framework and beside it. */
const readsOf = (models: Models["Service"], records: CustomRecords["Service"]) => ({
  getModel: Effect.fnUntraced(function* (
    session: AuthorizedSession,
    { params: { name } }: { readonly params: { readonly name: string } }
  ) {
    const model = yield* models.get(session, name)
    return shownAs(sentBackJson(yield* Effect.orDie(encodeModel(model))), model.version)
  }),
  listRecords: (
    session: AuthorizedSession,
    asked: OfModel & { readonly query: QueryRecord; readonly names: ReadonlyArray<string> }
  ) => Effect.map(records.list(session, asked.params.model, asked), leanPage),
  searchRecords: (session: AuthorizedSession, asked: OfModel & { readonly payload: SearchRequest }) =>
    Effect.map(records.search(session, asked.params.model, asked.payload), leanPage),
  getRecord: Effect.fnUntraced(function* (
    session: AuthorizedSession,
    { params: { id, model } }: { readonly params: { readonly id: number; readonly model: string } }
  ) {
    const record = yield* records.get(session, model, id)
    return shownAs(sentBackJson(yield* Effect.orDie(encodeRecord(record))), record.version)
  })
})

/** A list of a model's records knows its parameters once the model is known. */
const addLean = (routes: LeanRoutes["Service"], reads: ReturnType<typeof readsOf>): void => {
  const { getModel, getRecord, listRecords, searchRecords } = RecordsApi.endpoints
  const params = Schema.Struct({ model: ModelName })
  routes.add(getModel, { ...plain, params: Schema.Struct({ name: ModelName }), answer: reads.getModel })
  routes.add(listRecords, { ...plain, params, query: undefined, answer: reads.listRecords })
  routes.add(searchRecords, { ...plain, params, payload: SearchRequest, answer: reads.searchRecords })
  routes.add(getRecord, {
    ...plain,
    params: Schema.Struct({ model: ModelName, id: pathId(1) }),
    answer: reads.getRecord
  })
}

export const customDataLayer = HttpApiBuilder.group(
  Api,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    const records = yield* CustomRecords
    const reads = readsOf(models, records)
    addLean(yield* LeanRoutes, reads)
    return handlers
      .handle("listModels", listing(models.list))
      .handle("getModel", throughFramework(reads.getModel))
      .handle("createModel", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* models.create(yield* CurrentSession, payload, keyIn(headers))
          const { name, version } = made.answer
          return yield* answered(encodeModel, made, {
            status: 201,
            version,
            location: `${root}/models/${name}`
          })
        })
      )
      .handle("updateModel", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const session = yield* CurrentSession
          const made = yield* models.update(session, params.name, version, change, keyIn(headers))
          return yield* answered(encodeModel, made, { version: made.answer.version })
        })
      )
      .handle("deleteModel", ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => models.remove(session, params.name))
      )
      .handle(
        "listRecords",
        ({ params, query }: { readonly params: { readonly model: string }; readonly query: Decoded }) =>
          Effect.gen(function* () {
            const asked = { params, ...(yield* listParameters(query)) }
            return responseOf(yield* reads.listRecords(yield* CurrentSession, asked))
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
      .handle("searchRecords", throughFramework(reads.searchRecords))
      .handle("upsertRecords", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const made = yield* records.upsert(session, params.model, payload, keyIn(headers))
          return yield* answered(encodeUpserted, made)
        })
      )
      .handle("getRecord", throughFramework(reads.getRecord))
      .handle("createRecord", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const made = yield* records.create(yield* CurrentSession, params.model, payload, keyIn(headers))
          const { id, version } = made.answer
          const location = `${root}/${params.model}/records/${id}`
          return yield* answered(encodeRecord, made, { status: 201, version, location })
        })
      )
      .handle("updateRecord", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(payload.expectedVersion, headers)
          const session = yield* CurrentSession
          const { values } = payload
          const made = yield* records.update(
            session,
            params.model,
            params.id,
            version,
            values,
            keyIn(headers)
          )
          return yield* answered(encodeRecord, made, { version: made.answer.version })
        })
      )
      .handle("deleteRecord", ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => records.remove(session, params.model, params.id))
      )
  })
)
