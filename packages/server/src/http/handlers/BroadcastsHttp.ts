// Broadcasts over HTTP: each handler is one call of a use case (contract §9.1).
import { Api } from "@rapport/contract/Api.ts"
import { Broadcasts } from "@rapport/core/broadcasts/Broadcasts.ts"
import type { BroadcastStep } from "@rapport/core/broadcasts/BroadcastSteps.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  byId,
  answerChange,
  createHandler,
  getHandler,
  listHandler,
  nestedListHandler,
  updateHandler
} from "./Records.ts"
import { type Keyed, keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/broadcasts"

export const broadcastsLayer = HttpApiBuilder.group(
  Api,
  "broadcasts",
  Effect.fnUntraced(function* (handlers) {
    const broadcasts = yield* Broadcasts
    const { templates } = broadcasts
    const stepHandler =
      (step: BroadcastStep) =>
      ({ headers, params }: { readonly headers: Keyed; readonly params: { readonly id: number } }) =>
        answerChange((session) => broadcasts.take(session, params.id, step, keyIn(headers)))
    return handlers.handleAll({
      listMessageTemplates: listHandler(templates.list),
      getMessageTemplate: getHandler(templates.get),
      createMessageTemplate: createHandler(`${root}/templates`, templates.create),
      updateMessageTemplate: updateHandler(templates.update),
      deleteMessageTemplate: byId(templates.remove),
      listBroadcasts: listHandler(broadcasts.list),
      getBroadcast: getHandler(broadcasts.get),
      createBroadcast: createHandler(root, broadcasts.create),
      updateBroadcast: updateHandler(broadcasts.update),
      previewBroadcast: byId(broadcasts.preview),
      startBroadcast: stepHandler("start"),
      pauseBroadcast: stepHandler("pause"),
      resumeBroadcast: stepHandler("resume"),
      cancelBroadcast: stepHandler("cancel"),
      getBroadcastResults: byId(broadcasts.results),
      listBroadcastRecipients: nestedListHandler((session, params: { readonly id: number }, parameters) =>
        broadcasts.listRecipients(session, params.id, parameters)
      )
    })
  })
)
