// Sessions of a client: ordered messages and a small working context (contract §5).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ExternalEventConflict, NotFound, PayloadTooLarge, SessionClosed } from "../Errors.ts"
import { BodyBytesMax } from "../http/RequestBody.ts"
import { PositiveInt, Uuid, UuidV7, Version } from "../values/Ids.ts"
import {
  BODY_BYTES_IMPORT_MAX,
  METADATA_BYTES_MAX,
  WORKING_CONTEXT_ENTRIES_MAX,
  WORKING_CONTEXT_GOALS_MAX
} from "../Limits.ts"
import { pageOf, pageQuery } from "../lists/Page.ts"
import { AnyObject, ExternalId, LongText, objectOf, ShortText, RequiredVersion } from "../values/Members.ts"
import { shownKey } from "../values/Numbers.ts"
import { operation } from "../documents/Operation.ts"
import { withRules } from "../values/Checks.ts"
import { isWithoutFiles, OwnAttachments } from "../appeals/Appeal.ts"
import { Attachment } from "../files/FilesApi.ts"
import { Time } from "../values/Time.ts"
import { RatePolicy, policies } from "../http/RateLimits.ts"
import { actionRoute, updateRoute, createRoute, getRoute, accessErrors } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const SessionRole = Schema.Literals(["client", "operator", "assistant", "system", "tool"])
export type SessionRole = typeof SessionRole.Type
const Metadata = objectOf(METADATA_BYTES_MAX)

// Each member has the message, because a union reports the messages of its members.
const entryRule = { message: "must be a non-empty string or an object" }
/** Few generators have a type for "a string or an object". */
const entryShown = { [shownKey]: { description: "A string or an object" } }
const Entry = Schema.Union([
  Schema.String.check(Schema.isNonEmpty(entryRule)),
  AnyObject.annotate(entryRule)
]).annotate(entryShown)
const entries = (maximum: number) =>
  Schema.optionalKey(
    Schema.Array(Entry).check(
      Schema.isMaxLength(maximum, { message: `must have at most ${maximum} entries` })
    )
  )
export const WorkingContextRequest = Schema.Struct({
  goals: entries(WORKING_CONTEXT_GOALS_MAX),
  tasks: entries(WORKING_CONTEXT_ENTRIES_MAX),
  entities: entries(WORKING_CONTEXT_ENTRIES_MAX),
  assertions: entries(WORKING_CONTEXT_ENTRIES_MAX),
  sources: entries(WORKING_CONTEXT_ENTRIES_MAX)
}).annotate({ identifier: "WorkingContextRequest" })

const Entries = Schema.Array(Schema.Union([Schema.String, AnyObject]).annotate(entryShown))
/** All lists are present. An absent list is empty. */
export const WorkingContext = Schema.Struct({
  goals: Entries,
  tasks: Entries,
  entities: Entries,
  assertions: Entries,
  sources: Entries
}).annotate({ identifier: "WorkingContext" })
export type WorkingContext = typeof WorkingContext.Type

export const ContextSession = Schema.Struct({
  id: UuidV7,
  clientId: PositiveInt,
  status: Schema.Literals(["open", "closed"]),
  externalSessionId: Schema.NullOr(Schema.String),
  channel: Schema.NullOr(Schema.String),
  appealId: Schema.NullOr(PositiveInt),
  metadata: Schema.NullOr(AnyObject),
  messageCount: Schema.Int,
  workingContext: Schema.NullOr(WorkingContext),
  workingContextVersion: Schema.Int,
  createdAt: Time,
  closedAt: Schema.NullOr(Time)
}).annotate({ identifier: "ContextSession" })
export type ContextSession = typeof ContextSession.Type

export const SessionMessage = Schema.Struct({
  id: UuidV7,
  sessionId: UuidV7,
  sequence: PositiveInt,
  role: SessionRole,
  content: Schema.String,
  attachments: Schema.Array(Attachment),
  externalMessageId: Schema.NullOr(Schema.String),
  metadata: Schema.NullOr(AnyObject),
  occurredAt: Time,
  recordedAt: Time
}).annotate({ identifier: "SessionMessage" })
export type SessionMessage = typeof SessionMessage.Type

export const SessionRequest = Schema.Struct({
  clientId: PositiveInt,
  externalSessionId: Schema.optionalKey(ExternalId),
  channel: Schema.optionalKey(ShortText),
  appealId: Schema.optionalKey(PositiveInt),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "SessionRequest",
  examples: [{ clientId: 501, externalSessionId: "assistant-77", channel: "web" }]
})
export type SessionRequest = typeof SessionRequest.Type

/** A message has content or files. */
export const withContentRule = withRules((message) =>
  (message["content"] === undefined || message["content"] === "") && isWithoutFiles(message)
    ? [{ path: "content", message: "must be a non-empty string, or the message must have attachments" }]
    : []
)
export const SessionMessageRequest = withContentRule(
  Schema.Struct({
    role: SessionRole,
    content: Schema.optionalKey(Schema.String.annotate({ message: "must be a string" })),
    attachments: Schema.optionalKey(OwnAttachments),
    externalMessageId: Schema.optionalKey(ExternalId),
    occurredAt: Schema.optionalKey(Time),
    metadata: Schema.optionalKey(Metadata)
  })
).annotate({
  identifier: "SessionMessageRequest",
  examples: [
    { role: "client", content: "Доброго дня, де моє замовлення?" },
    { role: "client", attachments: ["01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"] }
  ]
})
export type SessionMessageRequest = typeof SessionMessageRequest.Type

export const WorkingContextWrite = Schema.Struct({
  expectedVersion: RequiredVersion,
  workingContext: WorkingContextRequest
}).annotate({
  identifier: "WorkingContextWrite",
  examples: [{ expectedVersion: 0, workingContext: { goals: ["find the parcel"], tasks: [] } }]
})
export type WorkingContextWrite = typeof WorkingContextWrite.Type

export const WorkingContextSet = Schema.Struct({
  sessionId: UuidV7,
  version: Version,
  workingContext: WorkingContext,
  updatedAt: Time
}).annotate({ identifier: "WorkingContextSet" })
export type WorkingContextSet = typeof WorkingContextSet.Type

export const SessionClose = Schema.Struct({ reason: Schema.optionalKey(LongText) }).annotate({
  identifier: "SessionClose",
  examples: [{ reason: "solved" }]
})

export const SessionMessagesQuery = pageQuery(Uuid)
export type SessionMessagesQuery = typeof SessionMessagesQuery.Type

export const SessionMessages = pageOf(SessionMessage).annotate({ identifier: "SessionMessages" })

const SessionAnswer = Schema.Struct({ replayed: Schema.Boolean, session: ContextSession }).annotate({
  identifier: "SessionAnswer"
})
const SessionMessageAnswer = Schema.Struct({ replayed: Schema.Boolean, message: SessionMessage }).annotate({
  identifier: "SessionMessageAnswer"
})

const root = "/kw/context/sessions"
const params = { session_id: Uuid }

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post(
      "createSession",
      root,
      createRoute(SessionRequest, SessionAnswer, ExternalEventConflict)
    )
      .annotate(RatePolicy, policies.contextWrite)
      .pipe(
        operation(
          "Create a session",
          "A session belongs to its client forever. The externalSessionId of an open session of the same client returns that session. Requires context.write."
        )
      ),
    HttpApiEndpoint.get("getSession", `${root}/:session_id`, getRoute(params, ContextSession)).pipe(
      operation("Get a session", "Requires context.read.")
    ),
    HttpApiEndpoint.post("addSessionMessage", `${root}/:session_id/messages`, {
      params,
      ...createRoute(
        SessionMessageRequest,
        SessionMessageAnswer,
        NotFound,
        ExternalEventConflict,
        SessionClosed,
        PayloadTooLarge
      )
    })
      .annotate(RatePolicy, policies.contextWrite)
      .annotate(BodyBytesMax, BODY_BYTES_IMPORT_MAX)
      .pipe(
        operation(
          "Add a message to a session",
          "At most 1 MiB, with a text or up to 10 files that the caller uploaded. Sequences start at 1 without gaps. A known externalMessageId returns the first message. Requires context.write."
        )
      ),
    HttpApiEndpoint.get("listSessionMessages", `${root}/:session_id/messages`, {
      params,
      query: SessionMessagesQuery,
      success: SessionMessages,
      error: accessErrors
    }).pipe(
      operation(
        "List the messages of a session",
        "Ordered by sequence, ascending by default, with at most 100 messages a page. Requires context.read."
      )
    ),
    HttpApiEndpoint.post(
      "closeSession",
      `${root}/:session_id/close`,
      actionRoute(params, [SessionClose, HttpApiSchema.NoContent], SessionAnswer)
    )
      .annotate(RatePolicy, policies.contextWrite)
      .pipe(
        operation(
          "Close a session",
          "A closed session accepts no writes. A repeat is replayed. Requires context.write."
        )
      ),
    HttpApiEndpoint.put(
      "setWorkingContext",
      `${root}/:session_id/working-context`,
      updateRoute(params, WorkingContextWrite, WorkingContextSet, SessionClosed, PayloadTooLarge)
    )
      .annotate(RatePolicy, policies.contextWrite)
      .pipe(
        operation(
          "Set the working context of a session",
          "Compare-and-set with expectedVersion. If-Match, if sent, must be the same version. At most 8 KiB. Requires context.write."
        )
      )
  )
  .pipe(withSession("Sessions", "Conversations of a client with an agent or assistant.")) {}
