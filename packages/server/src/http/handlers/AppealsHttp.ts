// The handlers that chats and tickets share: transcripts and sending messages.
import { Api } from "@rapport/contract/Api.ts"
import type { MessageRequest } from "@rapport/contract/appeals/Appeal.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import type { AppealKind } from "@rapport/core/appeals/TranscriptStore.ts"
import { Transcripts } from "@rapport/core/appeals/Transcripts.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Keyed, keyIn, written } from "./WriteHeaders.ts"

export const appealsLayer = HttpApiBuilder.group(
  Api,
  "appeals",
  Effect.fnUntraced(function* (handlers) {
    const transcripts = yield* Transcripts
    return handlers.handleAll({
      listChatMessages: ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => transcripts.read(session, "chat", params.id, query)),
      listTicketMessages: ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => transcripts.read(session, "ticket", params.id, query))
    })
  })
)

interface Posting {
  readonly params: { readonly id: number }
  readonly headers: Keyed
  readonly payload: MessageRequest
}

/** Writes a message into a chat or a ticket. */
export const posting = ({ post }: AppealMessages["Service"], kind: AppealKind) =>
  Effect.fnUntraced(function* ({ headers, params, payload }: Posting) {
    const posted = yield* post(yield* CurrentSession, kind, params.id, payload, keyIn(headers))
    return { replayed: posted.replayed, message: yield* written(posted, { status: 201 }) }
  })
