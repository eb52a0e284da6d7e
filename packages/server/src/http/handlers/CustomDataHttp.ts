// Custom data over HTTP: each handler is one call of a use case (contract §9.2).
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
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
import { listing, listingIn } from "./Records.ts"
import { keyIn, type ResponseMeta, shownAs, versionIn, writtenAs } from "./WriteHeaders.ts"

const root = "/kw/api/v1/custom-data"
const contentTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" }

const encodeModel = Schema.encodeEffect(Model)
const encodeRecord = Schema.encodeEffect(CustomRecord)
const encodeUpserted = Schema.encodeEffect(Upserted)

/** Answers a write; numbers keep the spelling of the request. */
const answering = <A, I, E, R>(
  encode: (answer: A) => Effect.Effect<I, Schema.SchemaError>,
  write: (session: AuthorizedSession) => Effect.Effect<OnceResult<A>, E, R>,
  meta: (answer: A) => ResponseMeta = () => ({})
) =>
  Effect.gen(function* () {
    const { answer, replayed } = yield* write(yield* CurrentSession)
    return writtenAs(sentBackJson(yield* Effect.orDie(encode(answer))), replayed, meta(answer))
  })

const versionOf = ({ version }: { readonly version: number }) => ({ version })

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
        answering(
          encodeModel,
          (session) => models.create(session, payload, keyIn(headers)),
          ({ name, version }) => ({ status: 201, version, location: `${root}/models/${name}` })
        ),
      updateCustomModel: ({ headers, params, payload: { expectedVersion, ...change } }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(expectedVersion, headers)
          return yield* answering(
            encodeModel,
            (session) => models.update(session, params.name, version, change, keyIn(headers)),
            versionOf
          )
        }),
      deleteCustomModel: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => models.remove(session, params.name)),
      listCustomRecords: listingIn((session, { model }: { readonly model: string }, parameters) =>
        records.list(session, model, parameters)
      ),
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
        answering(encodeUpserted, (session) =>
          records.upsert(session, params.model, payload, keyIn(headers))
        ),
      getCustomRecord: Effect.fnUntraced(function* ({ params }) {
        const record = yield* records.get(yield* CurrentSession, params.model, params.id)
        return shownAs(sentBackJson(yield* Effect.orDie(encodeRecord(record))), record.version)
      }),
      createCustomRecord: ({ headers, params, payload }) =>
        answering(
          encodeRecord,
          (session) => records.create(session, params.model, payload, keyIn(headers)),
          ({ id, version }) => ({
            status: 201,
            version,
            location: `${root}/${params.model}/records/${id}`
          })
        ),
      updateCustomRecord: ({ headers, params: { id, model }, payload: { expectedVersion, values } }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(expectedVersion, headers)
          return yield* answering(
            encodeRecord,
            (session) => records.update(session, model, id, version, values, keyIn(headers)),
            versionOf
          )
        }),
      deleteCustomRecord: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => records.remove(session, params.model, params.id))
    })
  })
)
