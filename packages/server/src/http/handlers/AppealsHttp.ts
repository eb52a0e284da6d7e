// Chats and tickets over HTTP: here their transcripts.
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Transcripts } from "@rapport/core/appeals/Transcripts.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const appealsLayer = HttpApiBuilder.group(
  Api,
  "appeals",
  Effect.fnUntraced(function* (handlers) {
    const transcripts = yield* Transcripts
    return handlers
      .handle("listChatMessages", ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => transcripts.read(session, "chat", params.id, query))
      )
      .handle("listTicketMessages", ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => transcripts.read(session, "ticket", params.id, query))
      )
  })
)
