// Clients over HTTP: each handler is one call of the use case (docs/contract.md §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { changed, creating, getting, listing, updating } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/clients"

export const clientsLayer = HttpApiBuilder.group(
  Api,
  "clients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* Clients
    return handlers
      .handle("listClients", listing(clients.list))
      .handle("getClient", getting(clients.get))
      .handle("createClient", creating(root, clients.create))
      .handle("updateClient", updating(clients.update))
      .handle("mergeClient", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const merged = yield* clients.merge(
            yield* CurrentSession,
            params.id,
            payload.intoId,
            keyIn(headers)
          )
          return yield* changed(merged)
        })
      )
  })
)
