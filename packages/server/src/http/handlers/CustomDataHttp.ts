// Custom data over HTTP: each handler is one call of a use case (contract §9.2).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { CustomRecord, Upserted } from "@rapport/contract/records/CustomRecord.ts"
import { Model } from "@rapport/contract/records/Model.ts"
import { sentBackJson } from "@rapport/core/json/SentBackJson.ts"
import type { OnceResult } from "@rapport/core/receipts/Receipts.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { listParameters, pageAnswer, type Decoded } from "./ListParameters.ts"
import { listing } from "./Records.ts"
import { keyIn, type ResponseMeta, shownAs, versionIn, writtenAs } from "./WriteHeaders.ts"

const root = "/kw/api/v1/custom-data"
const contentTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" }

const encodeModel = Schema.encodeEffect(Model)
const encodeRecord = Schema.encodeEffect(CustomRecord)
const encodeUpserted = Schema.encodeEffect(Upserted)

/** The answer of a write; numbers keep the spelling of the request. */
const answered = <A, I>(
  encode: (answer: A) => Effect.Effect<I, Schema.SchemaError>,
  { answer, replayed }: OnceResult<A>,
  meta: ResponseMeta = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.orDie(encode(answer)), (encoded) => writtenAs(sentBackJson(encoded), replayed, meta))

export const customDataLayer = HttpApiBuilder.group(
  Api,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    const records = yield* CustomRecords
    return handlers.handleAll({
      listCustomModels: listing(models.list),
      getCustomModel: Effect.fnUntraced(function* ({ params }) {
        const model = yield* models.get(yield* CurrentSession, params.name)
        return shownAs(sentBackJson(yield* Effect.orDie(encodeModel(model))), model.version)
      }),
      createCustomModel: ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* models.create(yield* CurrentSession, payload, keyIn(headers))
          const { name, version } = made.answer
          return yield* answered(encodeModel, made, {
            status: 201,
            version,
            location: `${root}/models/${name}`
          })
        }),
      updateCustomModel: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const session = yield* CurrentSession
          const made = yield* models.update(session, params.name, version, change, keyIn(headers))
          return yield* answered(encodeModel, made, { version: made.answer.version })
        }),
      deleteCustomModel: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => models.remove(session, params.name)),
      listCustomRecords: ({
        params,
        query
      }: {
        readonly params: { readonly model: string }
        readonly query: Decoded
      }) =>
        Effect.gen(function* () {
          const parameters = yield* listParameters(query)
          return pageAnswer(yield* records.list(yield* CurrentSession, params.model, parameters))
        }),
      exportCustomRecords: ({
        params,
        query
      }: {
        readonly params: { readonly model: string }
        readonly query: Decoded
      }) =>
        Effect.gen(function* () {
          const { format, lines } = yield* records.export(
            yield* CurrentSession,
            params.model,
            yield* listParameters(query)
          )
          // Rows are only rendered as fast as the caller takes them.
          return HttpServerResponse.stream(Stream.encodeText(lines), { contentType: contentTypes[format] })
        }),
      searchCustomRecords: Effect.fnUntraced(function* ({ params, payload }) {
        return pageAnswer(yield* records.search(yield* CurrentSession, params.model, payload))
      }),
      upsertCustomRecords: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const made = yield* records.upsert(session, params.model, payload, keyIn(headers))
          return yield* answered(encodeUpserted, made)
        }),
      getCustomRecord: Effect.fnUntraced(function* ({ params }) {
        const record = yield* records.get(yield* CurrentSession, params.model, params.id)
        return shownAs(sentBackJson(yield* Effect.orDie(encodeRecord(record))), record.version)
      }),
      createCustomRecord: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const made = yield* records.create(yield* CurrentSession, params.model, payload, keyIn(headers))
          const { id, version } = made.answer
          const location = `${root}/${params.model}/records/${id}`
          return yield* answered(encodeRecord, made, { status: 201, version, location })
        }),
      updateCustomRecord: ({ headers, params, payload }) =>
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
        }),
      deleteCustomRecord: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => records.remove(session, params.model, params.id))
    })
  })
)
