// Bots and nodes over HTTP: each handler is one call of a use case (contract §8).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Bots } from "@rapport/core/scenarios/Bots.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { byId, createHandler, listHandler, nestedListHandler, answerWrite } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/bots"

export const botsLayer = HttpApiBuilder.group(
  Api,
  "bots",
  Effect.fnUntraced(function* (handlers) {
    const bots = yield* Bots
    const { nodes } = bots
    return handlers.handleAll({
      listBots: listHandler(bots.list),
      getBot: byId(bots.get),
      createBot: createHandler(root, bots.create),
      updateBot: ({ headers, params, payload }) =>
        answerWrite((session) => bots.update(session, params.id, payload, keyIn(headers))),
      listBotNodes: nestedListHandler((session, params: { readonly bot_id: number }, parameters) =>
        nodes.list(session, params.bot_id, parameters)
      ),
      getBotNode: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => nodes.get(session, params.bot_id, params.id)),
      createBotNode: ({ headers, params, payload }) =>
        answerWrite(
          (session) => nodes.create(session, params.bot_id, payload, keyIn(headers)),
          ({ id }) => ({ status: 201, location: `${root}/${params.bot_id}/nodes/${id}` })
        ),
      updateBotNode: ({ headers, params, payload }) =>
        answerWrite((session) => nodes.update(session, params.bot_id, params.id, payload, keyIn(headers)))
    })
  })
)
