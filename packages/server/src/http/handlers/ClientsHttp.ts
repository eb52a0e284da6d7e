// Clients over HTTP: each handler is one call of the use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ClientData } from "@rapport/core/clients/ClientData.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { changed, creating, exporting, getting, listing, updating } from "./Records.ts"
import { keyIn, written } from "./WriteHeaders.ts"

const root = "/kw/api/v1/clients"

export const clientsLayer = HttpApiBuilder.group(
  Api,
  "clients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* Clients
    const data = yield* ClientData
    return handlers.handleAll({
      listClients: listing(clients.list),
      exportClients: exporting(clients.export),
      getClient: getting(clients.get),
      createClient: creating(root, clients.create),
      updateClient: updating(clients.update),
      mergeClient: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const merged = yield* clients.merge(
            yield* CurrentSession,
            params.id,
            payload.intoId,
            keyIn(headers)
          )
          return yield* changed(merged)
        }),
      exportClient: ({ params }) =>
        Effect.gen(function* () {
          const lines = yield* data.export(yield* CurrentSession, params.id)
          // Rows are only read as fast as the caller takes them.
          return HttpServerResponse.stream(Stream.encodeText(lines), { contentType: "application/x-ndjson" })
        }),
      eraseClient: ({ headers, params }) =>
        Effect.gen(function* () {
          const erasure = yield* data.erase(yield* CurrentSession, params.id, keyIn(headers))
          return yield* written(erasure, { status: erasure.answer.status === "running" ? 202 : 200 })
        })
    })
  })
)
