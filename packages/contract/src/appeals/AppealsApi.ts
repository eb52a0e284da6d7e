// Transcripts of chats and tickets (contract §5, §7).
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { pathId, PositiveInt, Version } from "../values/Ids.ts"
import { APPEAL_TEXT_POINTS_MAX } from "../Limits.ts"
import { pageOf, pageQuery } from "../lists/Page.ts"
import { accessErrors } from "../lists/RecordRoutes.ts"
import { Attachment } from "../files/FilesApi.ts"
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
  version: Version,
  editedAt: Schema.NullOr(Time),
  deletedAt: Schema.NullOr(Time)
}).annotate({ identifier: "AppealMessage" })
export type AppealMessage = typeof AppealMessage.Type

const CitedMessage = Schema.Struct({
  id: PositiveInt,
  changed: Schema.Boolean.annotate({ description: "True if the cited version is not the present one" }),
  deleted: Schema.Boolean.annotate({ description: "True if the message was deleted" })
}).annotate({ identifier: "CitedMessage" })

export const Transcript = Schema.Struct({
  ...pageOf(AppealMessage).fields,
  cited: Schema.optionalKey(CitedMessage).annotate({
    description: "With `around`: whether the message changed after it was cited"
  })
}).annotate({ identifier: "Transcript" })
export type Transcript = typeof Transcript.Type

const citation = {
  message: "must be the id of a message, such as 71822, or of a version of it, such as 71822v2"
}
/** The citation of a message of an appeal: its id, and from the second version `v` and the version. */
const CitedVersion = Schema.String.annotate({
  description: "A message as it is cited, such as 71822 or 71822v2"
})
  .check(Schema.isPattern(/^[1-9][0-9]{0,15}(v[1-9][0-9]{0,8})?$/u, citation))
  .pipe(
    Schema.decodeTo(Schema.Struct({ id: PositiveInt, version: Version }), {
      decode: SchemaGetter.transform((text: string) => {
        const [id, version = 1] = text.split("v").map(Number)
        return { id: id ?? 0, version }
      }),
      encode: SchemaGetter.transform(({ id, version }) => (version === 1 ? `${id}` : `${id}v${version}`))
    })
  )

export const TranscriptQuery = pageQuery(CitedVersion)
export type TranscriptQuery = typeof TranscriptQuery.Type

const about =
  "Ordered by sequence, ascending by default, with at most 100 messages a page. `around` returns the page with that message in the middle, and in `cited` whether it changed after it was cited."

export class AppealsApi extends HttpApiGroup.make("appeals")
  .add(
    HttpApiEndpoint.get("listChatMessages", "/kw/api/v1/OpChatRooms/:id/messages", {
      params: { id: pathId(9001) },
      query: TranscriptQuery,
      success: Transcript,
      error: accessErrors
    }).pipe(operation("List the messages of a chat", `${about} Requires chats.read.`)),
    HttpApiEndpoint.get("listTicketMessages", "/kw/api/v1/Ticket/:id/messages", {
      params: { id: pathId(9001) },
      query: TranscriptQuery,
      success: Transcript,
      error: accessErrors
    }).pipe(operation("List the messages of a ticket", `${about} Requires tickets.read.`))
  )
  .pipe(withSession("Chats and tickets", "Messages of chats and tickets.")) {}
