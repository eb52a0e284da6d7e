// Actions and state of a client over HTTP: each handler is one call of the use case (docs/contract.md §4).
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import {
  ActionRequest,
  ClientContextApi,
  clientParams,
  StateAnswer,
  stateParams,
  StateRequest
} from "@rapport/contract/clients/ClientContextApi.ts"
import { idempotencyHeaders } from "@rapport/contract/receipts/IdempotencyKey.ts"
import { ifMatchHeaders } from "@rapport/contract/values/IfMatch.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { registeredJson } from "@rapport/core/clients/RegisteredJson.ts"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes, plain, throughFramework } from "../lean/LeanPath.ts"
import { listParameters, pageAnswer } from "./ListParameters.ts"
import { type Conditional, type Keyed, requiredKeyIn, shown, versionIn, writtenAs } from "./WriteHeaders.ts"

/** What a request says, whichever way it came. */
interface Registering {
  readonly headers: Keyed
  readonly params: { readonly client_id: number }
  readonly payload: ActionRequest
}
interface Putting {
  readonly headers: Keyed & Conditional
  readonly params: { readonly client_id: number; readonly namespace: string }
  readonly payload: StateRequest
}

const encodeState = Schema.encodeEffect(Schema.toCodecJson(StateAnswer))

const writesOf = (context: ClientContext["Service"]) => ({
  register: Effect.fnUntraced(function* (
    session: AuthorizedSession,
    { headers, params, payload }: Registering
  ) {
    const key = yield* requiredKeyIn(headers)
    const { answer, replayed } = yield* context.register(session, params.client_id, payload, key)
    const shown = { replayed, ...registeredJson(answer) }
    return writtenAs(JSON.stringify(shown), replayed, { status: 201 })
  }),
  put: Effect.fnUntraced(function* (session: AuthorizedSession, { headers, params, payload }: Putting) {
    yield* versionIn(payload.expectedVersion, headers)
    const key = yield* requiredKeyIn(headers)
    const { answer, replayed } = yield* context.put(session, params.client_id, params.namespace, payload, key)
    const shown = yield* Effect.orDie(encodeState({ replayed, ...answer }))
    return writtenAs(JSON.stringify(shown), replayed, { version: answer.state.version })
  })
})

export const clientContextLayer = HttpApiBuilder.group(
  Api,
  "clientContext",
  Effect.fnUntraced(function* (handlers) {
    const context = yield* ClientContext
    const routes = yield* LeanRoutes
    const writes = writesOf(context)
    const { putClientState, registerClientAction } = ClientContextApi.endpoints
    routes.add(registerClientAction, {
      ...plain,
      params: Schema.Struct(clientParams),
      headers: Schema.Struct(idempotencyHeaders),
      payload: ActionRequest,
      answer: writes.register
    })
    routes.add(putClientState, {
      ...plain,
      params: Schema.Struct(stateParams),
      headers: Schema.Struct({ ...idempotencyHeaders, ...ifMatchHeaders }),
      payload: StateRequest,
      answer: writes.put
    })
    return handlers
      .handle("registerClientAction", throughFramework(writes.register))
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
      .handle("putClientState", throughFramework(writes.put))
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
