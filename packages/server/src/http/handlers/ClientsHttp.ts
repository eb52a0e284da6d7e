// Clients over HTTP: each handler is one call of the use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ClientData } from "@rapport/core/clients/ClientData.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { fileAnswer, NDJSON } from "./ListParameters.ts"
import {
  answerChange,
  createHandler,
  exportHandler,
  getHandler,
  listHandler,
  updateHandler,
  answerWrite
} from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/clients"

export const clientsLayer = HttpApiBuilder.group(
  Api,
  "clients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* Clients
    const data = yield* ClientData
    return handlers.handleAll({
      listClients: listHandler(clients.list),
      exportClients: exportHandler(clients.export),
      getClient: getHandler(clients.get),
      createClient: createHandler(root, clients.create),
      updateClient: updateHandler(clients.update),
      mergeClient: ({ headers, params, payload }) =>
        answerChange((session) => clients.merge(session, params.id, payload.intoId, keyIn(headers))),
      exportClient: ({ params }) =>
        Effect.gen(function* () {
          return fileAnswer(yield* data.export(yield* CurrentSession, params.id), NDJSON)
        }),
      eraseClient: ({ headers, params }) =>
        answerWrite(
          (session) => data.erase(session, params.id, keyIn(headers)),
          ({ status }) => ({ status: status === "running" ? 202 : 200 })
        )
    })
  })
)
