// Broadcasts over HTTP: each handler is one call of a use case (contract §9.1).
import { Api } from "@rapport/contract/Api.ts"
import { Broadcasts } from "@rapport/core/broadcasts/Broadcasts.ts"
import type { BroadcastStep } from "@rapport/core/broadcasts/BroadcastSteps.ts"
import { BroadcastTemplates } from "@rapport/core/broadcasts/BroadcastTemplates.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { byId, changing, creating, getting, listing, listingIn, updating } from "./Records.ts"
import { type Keyed, keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/broadcasts"

export const broadcastsLayer = HttpApiBuilder.group(
  Api,
  "broadcasts",
  Effect.fnUntraced(function* (handlers) {
    const templates = yield* BroadcastTemplates
    const broadcasts = yield* Broadcasts
    const taking =
      (step: BroadcastStep) =>
      ({ headers, params }: { readonly headers: Keyed; readonly params: { readonly id: number } }) =>
        changing((session) => broadcasts.take(session, params.id, step, keyIn(headers)))
    return handlers.handleAll({
      listMessageTemplates: listing(templates.list),
      getMessageTemplate: getting(templates.get),
      createMessageTemplate: creating(`${root}/templates`, templates.create),
      updateMessageTemplate: updating(templates.update),
      deleteMessageTemplate: byId(templates.remove),
      listBroadcasts: listing(broadcasts.list),
      getBroadcast: getting(broadcasts.get),
      createBroadcast: creating(root, broadcasts.create),
      updateBroadcast: updating(broadcasts.update),
      previewBroadcast: byId(broadcasts.preview),
      startBroadcast: taking("start"),
      pauseBroadcast: taking("pause"),
      resumeBroadcast: taking("resume"),
      cancelBroadcast: taking("cancel"),
      getBroadcastResults: byId(broadcasts.results),
      listBroadcastRecipients: listingIn((session, params: { readonly id: number }, parameters) =>
        broadcasts.listRecipients(session, params.id, parameters)
      )
    })
  })
)
