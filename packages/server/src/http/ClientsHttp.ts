// Clients over HTTP: each handler is one call of the use case (docs/contract.md §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"
import { keyIn, shown, versionIn, written } from "./Written.ts"

const root = "/kw/api/v1/clients"

export const clientsLayer = HttpApiBuilder.group(
  Api,
  "clients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* Clients
    return handlers
      .handle("listClients", ({ query }) =>
        Effect.gen(function* () {
          // The records of a list come from the store in the form of the wire.
          return HttpServerResponse.jsonUnsafe(
            yield* clients.list(yield* CurrentSession, yield* asked(query))
          )
        })
      )
      .handle("getClient", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* clients.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createClient", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* clients.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          return yield* written(made, { status: 201, version, location: `${root}/${id}` })
        })
      )
      .handle("updateClient", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const updated = yield* clients.update(
            yield* CurrentSession,
            params.id,
            version,
            change,
            keyIn(headers)
          )
          return yield* written(updated, { version: updated.answer.version })
        })
      )
      .handle("mergeClient", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const merged = yield* clients.merge(
            yield* CurrentSession,
            params.id,
            payload.intoId,
            keyIn(headers)
          )
          return yield* written(merged, { version: merged.answer.version })
        })
      )
  })
)
