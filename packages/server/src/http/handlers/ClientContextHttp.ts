// Actions and state of a client over HTTP: each handler is one call of the use case (contract §4).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ActionAnswer, StateAnswer } from "@rapport/contract/clients/ClientContextApi.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { listParameters, pageAnswer } from "./ListParameters.ts"
import { requiredKeyIn, shown, versionIn, writtenAs } from "./WriteHeaders.ts"

const encodeAction = Schema.encodeEffect(Schema.toCodecJson(ActionAnswer))
const encodeState = Schema.encodeEffect(Schema.toCodecJson(StateAnswer))

export const clientContextLayer = HttpApiBuilder.group(
  Api,
  "clientContext",
  Effect.fnUntraced(function* (handlers) {
    const context = yield* ClientContext
    return handlers.handleAll({
      registerClientAction: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = yield* requiredKeyIn(headers)
        const session = yield* CurrentSession
        const { answer, replayed } = yield* context.register(session, params.client_id, payload, key)
        const json = yield* Effect.orDie(encodeAction({ replayed, ...answer }))
        return writtenAs(JSON.stringify(json), replayed, { status: 201 })
      }),
      listClientActions: Effect.fnUntraced(function* ({ params, query }) {
        const parameters = yield* listParameters(query)
        return pageAnswer(yield* context.actions(yield* CurrentSession, params.client_id, parameters))
      }),
      listClientState: Effect.fnUntraced(function* ({ params, query }) {
        const parameters = yield* listParameters(query)
        return pageAnswer(yield* context.states(yield* CurrentSession, params.client_id, parameters))
      }),
      getClientState: Effect.fnUntraced(function* ({ params }) {
        return yield* shown(yield* context.get(yield* CurrentSession, params.client_id, params.namespace))
      }),
      setClientState: Effect.fnUntraced(function* ({ headers, params, payload }) {
        yield* versionIn(payload.expectedVersion, headers)
        const key = yield* requiredKeyIn(headers)
        const { client_id, namespace } = params
        const made = yield* context.put(yield* CurrentSession, client_id, namespace, payload, key)
        const { answer, replayed } = made
        const json = yield* Effect.orDie(encodeState({ replayed, ...answer }))
        return writtenAs(JSON.stringify(json), replayed, { version: answer.state.version })
      }),
      listClientStateHistory: Effect.fnUntraced(function* ({ params, query }) {
        const parameters = yield* listParameters(query)
        const { client_id, namespace } = params
        return pageAnswer(yield* context.history(yield* CurrentSession, client_id, namespace, parameters))
      })
    })
  })
)
