// The handlers that chats and tickets share: transcripts and sending messages.
import { Api } from "@rapport/contract/Api.ts"
import type { MessagePatch, MessageRequest } from "@rapport/contract/appeals/Appeal.ts"
import { CurrentSession, type Permission } from "@rapport/contract/Authorization.ts"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { BULK_CHANGES_COUNTED } from "@rapport/contract/Limits.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import type { AppealKind } from "@rapport/core/appeals/AppealStore.ts"
import { type BulkProblem, type BulkUpdate, updateEach } from "@rapport/core/lists/BulkChanges.ts"
import type { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { countRequests } from "../middleware/RateLimitsHttp.ts"
import { answerVersionedChange } from "./Records.ts"
import { type Conditional, type Keyed, keyIn, setWriteHeaders } from "./WriteHeaders.ts"

export const appealsLayer = HttpApiBuilder.group(
  Api,
  "appeals",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* AppealMessages
    return handlers.handleAll({
      listChatMessages: ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => messages.list(session, "chat", params.id, query)),
      listTicketMessages: ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => messages.list(session, "ticket", params.id, query))
    })
  })
)

interface MessagePath {
  readonly params: { readonly id: number; readonly messageId: number }
}
interface MessageEdit extends MessagePath {
  readonly headers: Keyed & Conditional
  readonly payload: typeof MessagePatch.Type
}

const placeOf = (kind: AppealKind, { id, messageId }: MessagePath["params"]) => ({
  kind,
  appealId: id,
  messageId
})

/** Edits a message of a chat or a ticket. */
export const editMessageHandler =
  ({ edit }: AppealMessages["Service"], kind: AppealKind) =>
  ({ headers, params, payload: { expectedVersion, text } }: MessageEdit) =>
    answerVersionedChange(expectedVersion, headers, (session, version) =>
      edit(session, placeOf(kind, params), { expectedVersion: version, text }, keyIn(headers))
    )

/** Deletes a message of a chat or a ticket. */
export const deleteMessageHandler =
  ({ remove }: AppealMessages["Service"], kind: AppealKind) =>
  ({ params }: MessagePath) =>
    Effect.flatMap(CurrentSession, (session) => remove(session, placeOf(kind, params)))

interface MessagePost {
  readonly params: { readonly id: number }
  readonly headers: Keyed
  readonly payload: MessageRequest
}

/** Writes a message into a chat or a ticket. */
export const postMessageHandler = ({ post }: AppealMessages["Service"], kind: AppealKind) =>
  Effect.fnUntraced(function* ({ headers, params, payload }: MessagePost) {
    const posted = yield* post(yield* CurrentSession, kind, params.id, payload, keyIn(headers))
    return { replayed: posted.replayed, message: yield* setWriteHeaders(posted, { status: 201 }) }
  })

/** Changes many chats or tickets. The request counted once before its body was read. */
export const updateEachHandler =
  <Change extends { readonly id: number }, A, E extends BulkProblem>(
    admission: Admission["Service"],
    permission: Permission,
    update: BulkUpdate<Change, A, E>
  ) =>
  ({
    headers,
    payload: { changes }
  }: {
    readonly headers: Keyed
    readonly payload: { readonly changes: ReadonlyArray<Change> }
  }) =>
    Effect.gen(function* () {
      const session = yield* CurrentSession
      const further = Math.ceil(changes.length / BULK_CHANGES_COUNTED) - 1
      const count = countRequests(admission)(policies.rest, session, further)
      const options = { permission, update, count }
      return { results: yield* updateEach(options, session, changes, keyIn(headers)) }
    })
