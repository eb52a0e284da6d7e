// Priorities, messages and imported histories of chats and tickets (contract §7).
import { Predicate, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { BodyBytesMax } from "../http/RequestBody.ts"
import { NotFound, StateNotAllowed } from "../Errors.ts"
import { createRoute, updateRoute, deleteRoute } from "../lists/RecordRoutes.ts"
import { distinct } from "../values/Distinct.ts"
import { pathId, PositiveInt, Uuid } from "../values/Ids.ts"
import { ATTACHMENTS_MAX, BODY_BYTES_IMPORT_MAX, HISTORY_MESSAGES_MAX } from "../Limits.ts"
import { expectedVersion, ExternalId, listOf, ShortText } from "../values/Members.ts"
import { type Rules, withRules } from "../values/Checks.ts"
import { millisOf, Time } from "../values/Time.ts"
import { AppealMessage, AppealText, AuthorType, Visibility } from "./AppealsApi.ts"

export const priorities = ["low", "normal", "high", "urgent"] as const
export const Priority = Schema.Literals(priorities)
export type Priority = typeof Priority.Type

export const attachmentIds = (description: string) =>
  distinct(Uuid, { maximum: ATTACHMENTS_MAX, description })
export const OwnAttachments = attachmentIds("Ids of files that the caller uploaded")

/** A message of an imported history. */
export const HistoryMessage = Schema.Struct({
  authorType: AuthorType,
  authorId: Schema.optionalKey(PositiveInt),
  text: Schema.optionalKey(AppealText),
  attachments: Schema.optionalKey(OwnAttachments),
  occurredAt: Time,
  externalMessageId: Schema.optionalKey(ExternalId),
  visibility: Schema.optionalKey(Visibility)
}).annotate({ identifier: "HistoryMessage" })
export type HistoryMessage = typeof HistoryMessage.Type

/** Members of a create that need appeals.import. */
export const historyMembers = {
  externalId: Schema.optionalKey(ExternalId),
  source: Schema.optionalKey(ShortText),
  createdAt: Schema.optionalKey(Time),
  closedAt: Schema.optionalKey(Time),
  messages: Schema.optionalKey(listOf(HistoryMessage, HISTORY_MESSAGES_MAX))
}
export const historyNames = [
  "createdAt",
  "closedAt",
  "status",
  "messages",
  "authorType",
  "authorId",
  "externalId",
  "source",
  "number"
] as const

/** Only operators write notes. A message without authorType is an operator's. */
const noteRules: Rules = ({ authorType = "operator", visibility }) =>
  visibility === "internal" && authorType !== "operator"
    ? [{ path: "visibility", message: "must be public: only operators write notes" }]
    : []

export const isWithoutFiles = ({ attachments }: Readonly<Record<string, unknown>>): boolean =>
  !Array.isArray(attachments) || attachments.length === 0

/** A message has a text or files. */
export const contentRules: Rules = (message) =>
  message["text"] === undefined && isWithoutFiles(message)
    ? [{ path: "text", message: "is required without attachments" }]
    : []
const messageRules: Rules = (message) => [...noteRules(message), ...contentRules(message)]

const timeOf = (u: unknown): number | undefined =>
  typeof u === "number" ? u : typeof u === "string" ? millisOf(u) : undefined

/** Messages are in the order of time with distinct external ids and files. closedAt is not before createdAt. externalId needs source. */
export const historyRules: Rules = ({ closedAt, createdAt, externalId, messages, source }) => {
  const violations: Array<{ path: string; message: string }> = []
  const [from, to] = [timeOf(createdAt), timeOf(closedAt)]
  if (from !== undefined && to !== undefined && to < from)
    violations.push({ path: "closedAt", message: "must not be before createdAt" })
  if (externalId !== undefined && source === undefined)
    violations.push({ path: "source", message: "is required with externalId" })
  if (source !== undefined && externalId === undefined)
    violations.push({ path: "externalId", message: "is required with source" })
  const externalIds = new Set<unknown>()
  const fileIds = new Set<unknown>()
  let last = -Infinity
  for (const [i, message] of (Array.isArray(messages) ? messages : []).entries()) {
    if (!Predicate.isReadonlyObject(message)) continue
    violations.push(...messageRules(message).map((one) => ({ ...one, path: `messages[${i}].${one.path}` })))
    const at = timeOf(message["occurredAt"])
    if (at !== undefined && at < last)
      violations.push({
        path: `messages[${i}].occurredAt`,
        message: "must not be before the previous message"
      })
    last = Math.max(last, at ?? last)
    const messageId = message["externalMessageId"]
    if (messageId !== undefined && externalIds.has(messageId))
      violations.push({ path: `messages[${i}].externalMessageId`, message: "must be unique" })
    externalIds.add(messageId)
    const files: ReadonlyArray<unknown> = Array.isArray(message["attachments"]) ? message["attachments"] : []
    for (const fileId of new Set(files.map((id) => String(id).toLowerCase()))) {
      if (fileIds.has(fileId))
        violations.push({
          path: `messages[${i}].attachments`,
          message: "must not be files of another message"
        })
      fileIds.add(fileId)
    }
  }
  return violations
}

/** Operators write as themselves. Other authors and past times need appeals.import. */
export const MessageRequest = withRules(messageRules)(
  Schema.Struct({
    ...HistoryMessage.fields,
    authorType: Schema.optionalKey(AuthorType),
    occurredAt: Schema.optionalKey(Time)
  })
).annotate({
  identifier: "MessageRequest",
  examples: [
    { text: "Good day, how can I help?" },
    { text: "Firmware 2.1 is known to drop calls, offer the update.", visibility: "internal" }
  ]
})
export type MessageRequest = typeof MessageRequest.Type

export const MessagePatch = Schema.Struct({ expectedVersion, text: AppealText }).annotate({
  identifier: "MessagePatch",
  examples: [{ expectedVersion: 1, text: "Good day! The invoice is attached." }]
})

export const CreatedMessage = Schema.Struct({
  replayed: Schema.Boolean,
  message: AppealMessage
}).annotate({ identifier: "CreatedMessage" })

/** The endpoints that write the messages of a chat or ticket. */
export const messageEndpoints = <const Noun extends "Chat" | "Ticket", const Path extends string>(
  noun: Noun,
  path: Path
) => {
  const messages = `/kw/api/v1/${path}/:id/messages` as const
  const name = noun.toLowerCase()
  const manage = `Requires ${name}s.manage`
  const params = { id: pathId(9001), messageId: pathId(71822) }
  return [
    HttpApiEndpoint.post(`create${noun}Message`, messages, {
      params: { id: pathId(9001) },
      ...createRoute(MessageRequest, CreatedMessage, NotFound, StateNotAllowed)
    })
      .annotate(BodyBytesMax, BODY_BYTES_IMPORT_MAX)
      .pipe(
        operation(
          `Write a message to a ${name}`,
          `Operators write as themselves; other authors and past times require appeals.import. A known externalMessageId returns the first message. ${manage}.`
        )
      ),
    HttpApiEndpoint.patch(
      `update${noun}Message`,
      `${messages}/:messageId`,
      updateRoute(params, MessagePatch, AppealMessage, StateNotAllowed)
    )
      .annotate(BodyBytesMax, BODY_BYTES_IMPORT_MAX)
      .pipe(
        operation(
          `Edit a message of a ${name}`,
          `Only its author or a supervisor may edit a message of an operator. The previous text stays only in the audit log. If the message was sent, the channel gets the new text. 409 while it is being sent, and once it is deleted. ${manage}, and expectedVersion or If-Match.`
        )
      ),
    HttpApiEndpoint.delete(
      `delete${noun}Message`,
      `${messages}/:messageId`,
      deleteRoute(params, StateNotAllowed)
    ).pipe(
      operation(
        `Delete a message of a ${name}`,
        `Only its author or a supervisor may delete a message. It stays in the transcript with deletedAt and without text; the text stays only in the audit log. If the message was sent, it is also deleted in the channel; if it waits, it is not sent. 409 while it is being sent. ${manage}.`
      )
    )
  ] as const
}

/** A list of appeals may warn about their size. */
export const SearchCoverage = Schema.Literals(["complete", "delayed", "incomplete"])
