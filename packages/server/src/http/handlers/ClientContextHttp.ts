// Actions and state of a client over HTTP: each handler is one call of the use case (docs/contract.md §4).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { listParameters, pageAnswer } from "./ListParameters.ts"
import { requiredKeyIn, shown, written } from "./WriteHeaders.ts"

export const clientContextLayer = HttpApiBuilder.group(
  Api,
  "clientContext",
  Effect.fnUntraced(function* (handlers) {
    const context = yield* ClientContext
    return handlers
      .handle("registerClientAction", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const key = yield* requiredKeyIn(headers)
          const made = yield* context.register(yield* CurrentSession, params.client_id, payload, key)
          const answer = yield* written(made, { status: 201 })
          return { replayed: made.replayed, ...answer }
        })
      )
      .handle("listClientActions", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* context.actions(
            yield* CurrentSession,
            params.client_id,
            yield* listParameters(query)
          )
          return pageAnswer(page)
        })
      )
      .handle("listClientState", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* context.states(
            yield* CurrentSession,
            params.client_id,
            yield* listParameters(query)
          )
          return pageAnswer(page)
        })
      )
      .handle("getClientState", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* context.get(yield* CurrentSession, params.client_id, params.namespace))
        })
      )
      .handle("putClientState", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const key = yield* requiredKeyIn(headers)
          const put = yield* context.put(
            yield* CurrentSession,
            params.client_id,
            params.namespace,
            payload,
            key
          )
          const answer = yield* written(put, { version: put.answer.state.version })
          return { replayed: put.replayed, ...answer }
        })
      )
      .handle("listClientStateHistory", ({ params, query }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const page = yield* context.history(
            session,
            params.client_id,
            params.namespace,
            yield* listParameters(query)
          )
          return pageAnswer(page)
        })
      )
  })
)
