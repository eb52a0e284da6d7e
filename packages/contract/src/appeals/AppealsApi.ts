// Transcripts of chats and tickets (contract §5, §7).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  AccessDenied,
  NotFound,
  StateNotAllowed,
  StatusTransitionNotAllowed,
  VersionConflict
} from "../Errors.ts"
import { pathId, PositiveId, PositiveInt } from "../values/Ids.ts"
import { APPEAL_TEXT_POINTS_MAX, CURSOR_CHARACTERS_MAX, PageLimits } from "../Limits.ts"
import { pageOf } from "../lists/Page.ts"
import { refusals } from "../lists/RecordRoutes.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { Attachment } from "../files/FilesApi.ts"
import { limitParameter } from "../values/Numbers.ts"
import { operation } from "../documents/Operation.ts"
import { textOf } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"
import { withSession } from "../http/WithSession.ts"

export const AuthorType = Schema.Literals(["client", "operator", "bot", "system"])
/** An internal message is a note for colleagues: it is never sent to the client. */
export const Visibility = Schema.Literals(["public", "internal"])
export const DeliveryStatus = Schema.Literals(["none", "queued", "sent", "delivered", "read", "failed"])

export const AppealText = textOf(1, APPEAL_TEXT_POINTS_MAX)

/** A message of an appeal. Sequences start at 1 without gaps. A deleted message stays, without its text. */
export const AppealMessage = Schema.Struct({
  id: PositiveInt,
  appealId: PositiveInt,
  sequence: PositiveInt,
  authorType: AuthorType,
  authorId: Schema.NullOr(PositiveInt),
  text: Schema.String,
  occurredAt: Time,
  recordedAt: Time,
  externalMessageId: Schema.NullOr(Schema.String),
  delivery: DeliveryStatus,
  visibility: Visibility,
  attachments: Schema.Array(Attachment),
  version: PositiveInt,
  editedAt: Schema.NullOr(Time),
  deletedAt: Schema.NullOr(Time)
}).annotate({ identifier: "AppealMessage" })
export type AppealMessage = typeof AppealMessage.Type

export const Transcript = pageOf(AppealMessage).annotate({ identifier: "Transcript" })
export type Transcript = typeof Transcript.Type

/** `around` returns a full page with that message in the middle. It cannot be combined with a cursor. */
export const TranscriptQuery = Schema.Struct({
  limit: Schema.optionalKey(limitParameter(PageLimits)),
  cursor: Schema.optionalKey(textOf(1, CURSOR_CHARACTERS_MAX)),
  around: Schema.optionalKey(PositiveId),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
})
export type TranscriptQuery = typeof TranscriptQuery.Type

/** Errors of a change of a chat or ticket. */
export const appealChangeErrors = [
  ...refusals,
  StateNotAllowed,
  StatusTransitionNotAllowed,
  VersionConflict,
  ...idempotencyErrors
] as const

const about =
  "Ordered by sequence, ascending by default, with at most 100 messages a page. `around` returns the page with that message in the middle."

export class AppealsApi extends HttpApiGroup.make("appeals")
  .add(
    HttpApiEndpoint.get("listChatMessages", "/kw/api/v1/OpChatRooms/:id/messages", {
      params: { id: pathId(9001) },
      query: TranscriptQuery,
      success: Transcript,
      error: [AccessDenied, NotFound]
    }).pipe(operation("List the messages of a chat", `${about} Requires chats.read.`)),
    HttpApiEndpoint.get("listTicketMessages", "/kw/api/v1/Ticket/:id/messages", {
      params: { id: pathId(9001) },
      query: TranscriptQuery,
      success: Transcript,
      error: [AccessDenied, NotFound]
    }).pipe(operation("List the messages of a ticket", `${about} Requires tickets.read.`))
  )
  .pipe(withSession("Chats and tickets", "Messages of chats and tickets.")) {}
