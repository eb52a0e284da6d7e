// call_node over HTTP: each handler is one call of the use case (contract §8).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { variablesIn } from "@rapport/contract/scenarios/Call.ts"
import { Calls } from "@rapport/core/scenarios/Calls.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerWrite } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

export const callsLayer = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function* (handlers) {
    const calls = yield* Calls
    return handlers.handleAll({
      callNode: ({ headers, params, payload }) =>
        answerWrite((session) => {
          const { bot_id: botId, channel, chat_id: chatId, node_id: id } = params
          const target = { botId, node: { id }, channel, chatId }
          return calls.call(session, target, variablesIn(payload), keyIn(headers))
        }),
      callNodeByAlias: ({ headers, payload }) =>
        answerWrite((session) => {
          const { bot_id: botId, channel, chat_id: chatId, connector_alias: alias, data } = payload
          return calls.call(session, { botId, node: { alias }, channel, chatId }, data, keyIn(headers))
        }),
      getCall: ({ params }) => Effect.flatMap(CurrentSession, (session) => calls.get(session, params.callId))
    })
  })
)
