// Bots and nodes over HTTP: each handler is one call of a use case (contract §8).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Bots } from "@rapport/core/scenarios/Bots.ts"
import { Nodes } from "@rapport/core/scenarios/Nodes.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Decoded, listParameters, pageAnswer } from "./ListParameters.ts"
import { byId, listing } from "./Records.ts"
import { keyIn, written } from "./WriteHeaders.ts"

const root = "/kw/api/v1/bots"

export const botsLayer = HttpApiBuilder.group(
  Api,
  "bots",
  Effect.fnUntraced(function* (handlers) {
    const bots = yield* Bots
    const nodes = yield* Nodes
    return handlers.handleAll({
      listBots: listing(bots.list),
      getBot: byId(bots.get),
      createBot: ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* bots.create(yield* CurrentSession, payload, keyIn(headers))
          return yield* written(made, { status: 201, location: `${root}/${made.answer.id}` })
        }),
      updateBot: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          return yield* written(yield* bots.update(yield* CurrentSession, params.id, payload, keyIn(headers)))
        }),
      listBotNodes: ({
        params,
        query
      }: {
        readonly params: { readonly bot_id: number }
        readonly query: Decoded
      }) =>
        Effect.gen(function* () {
          return pageAnswer(
            yield* nodes.list(yield* CurrentSession, params.bot_id, yield* listParameters(query))
          )
        }),
      getBotNode: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => nodes.get(session, params.bot_id, params.id)),
      createBotNode: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const made = yield* nodes.create(session, params.bot_id, payload, keyIn(headers))
          const location = `${root}/${params.bot_id}/nodes/${made.answer.id}`
          return yield* written(made, { status: 201, location })
        }),
      updateBotNode: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          return yield* written(
            yield* nodes.update(session, params.bot_id, params.id, payload, keyIn(headers))
          )
        })
    })
  })
)
