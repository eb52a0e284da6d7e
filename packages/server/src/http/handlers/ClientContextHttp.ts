// Actions and state of a client over HTTP: each handler is one call of the use case (contract §4).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { nestedListHandler } from "./Records.ts"
import { requiredKeyIn, setEtag, versionIn, setWriteHeaders } from "./WriteHeaders.ts"

interface ClientPath {
  readonly client_id: number
}

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
        return yield* setWriteHeaders({ answer: { replayed, ...answer }, replayed }, { status: 201 })
      }),
      listClientActions: nestedListHandler((session, { client_id: id }: ClientPath, parameters) =>
        context.actions(session, id, parameters)
      ),
      listClientState: nestedListHandler((session, { client_id: id }: ClientPath, parameters) =>
        context.states(session, id, parameters)
      ),
      getClientState: Effect.fnUntraced(function* ({ params }) {
        return yield* setEtag(yield* context.get(yield* CurrentSession, params.client_id, params.namespace))
      }),
      setClientState: Effect.fnUntraced(function* ({ headers, params, payload }) {
        yield* versionIn(payload.expectedVersion, headers)
        const key = yield* requiredKeyIn(headers)
        const { client_id, namespace } = params
        const made = yield* context.put(yield* CurrentSession, client_id, namespace, payload, key)
        const { answer, replayed } = made
        const { version } = answer.state
        return yield* setWriteHeaders({ answer: { replayed, ...answer }, replayed }, { version })
      }),
      listClientStateHistory: nestedListHandler(
        (session, { client_id: id, namespace }: ClientPath & { readonly namespace: string }, parameters) =>
          context.history(session, id, namespace, parameters)
      )
    })
  })
)
