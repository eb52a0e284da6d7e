// Custom data over HTTP: each handler is one call of a use case (contract §9.2).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CSV, type DecodedQuery, fileAnswer, listParameters, NDJSON, pageAnswer } from "./ListParameters.ts"
import { answerVersionedChange, listHandler, nestedListHandler, answerWrite } from "./Records.ts"
import { keyIn, setEtag } from "./WriteHeaders.ts"

const root = "/kw/api/v1/custom-data"

export const customDataLayer = HttpApiBuilder.group(
  Api,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    const records = yield* CustomRecords
    return handlers.handleAll({
      listCustomModels: listHandler(models.list),
      getCustomModel: Effect.fnUntraced(function* ({ params }) {
        return yield* setEtag(yield* models.get(yield* CurrentSession, params.name))
      }),
      createCustomModel: ({ headers, payload }) =>
        answerWrite(
          (session) => models.create(session, payload, keyIn(headers)),
          ({ name, version }) => ({ status: 201, version, location: `${root}/models/${name}` })
        ),
      updateCustomModel: ({ headers, params, payload: { expectedVersion, ...change } }) =>
        answerVersionedChange(expectedVersion, headers, (session, version) =>
          models.update(session, params.name, version, change, keyIn(headers))
        ),
      deleteCustomModel: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => models.remove(session, params.name)),
      listCustomRecords: nestedListHandler((session, { model }: { readonly model: string }, parameters) =>
        records.list(session, model, parameters)
      ),
      exportCustomRecords: ({
        params,
        query
      }: {
        readonly params: { readonly model: string }
        readonly query: DecodedQuery
      }) =>
        Effect.gen(function* () {
          const { format, lines } = yield* records.export(
            yield* CurrentSession,
            params.model,
            yield* listParameters(query)
          )
          return fileAnswer(lines, { csv: CSV, ndjson: NDJSON }[format])
        }),
      searchCustomRecords: Effect.fnUntraced(function* ({ params, payload }) {
        return pageAnswer(yield* records.search(yield* CurrentSession, params.model, payload))
      }),
      upsertCustomRecords: ({ headers, params, payload }) =>
        answerWrite((session) => records.upsert(session, params.model, payload, keyIn(headers))),
      getCustomRecord: Effect.fnUntraced(function* ({ params }) {
        return yield* setEtag(yield* records.get(yield* CurrentSession, params.model, params.id))
      }),
      createCustomRecord: ({ headers, params, payload }) =>
        answerWrite(
          (session) => records.create(session, params.model, payload, keyIn(headers)),
          ({ id, version }) => ({
            status: 201,
            version,
            location: `${root}/${params.model}/records/${id}`
          })
        ),
      updateCustomRecord: ({ headers, params: { id, model }, payload: { expectedVersion, values } }) =>
        answerVersionedChange(expectedVersion, headers, (session, version) =>
          records.update(session, model, id, version, values, keyIn(headers))
        ),
      deleteCustomRecord: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => records.remove(session, params.model, params.id))
    })
  })
)
