// Chats (contract §7).
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { StateNotAllowed, StatusTransitionNotAllowed } from "../Errors.ts"
import { Answers, HistoryBody } from "../http/RequestBody.ts"
import { pathId, PositiveInt, Version } from "../values/Ids.ts"
import { BODY_BYTES_IMPORT_MAX } from "../Limits.ts"
import type { Collection } from "../lists/Collection.ts"
import {
  emptiable,
  expectedVersion,
  ExternalId,
  FreeObject,
  LongText,
  ShortText,
  Tags
} from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { withRules } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"
import {
  historyMembers,
  historyNames,
  historyRules,
  messageEndpoints,
  priorities,
  Priority,
  SearchCoverage
} from "./Appeal.ts"
import { appealIncludes } from "./AppealIncludes.ts"
import { AppealMessage } from "./AppealsApi.ts"
import { bulkAnswer, bulkRequest, bulkRoute, describeBulk } from "../lists/BulkChanges.ts"
import {
  updateRoute,
  createRoute,
  describeExport,
  exportRoute,
  getRoute,
  listRoute
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const chatStatuses = ["waiting", "active", "postponed", "closed"] as const
export const ChatStatus = Schema.Literals(chatStatuses)
export type ChatStatus = typeof ChatStatus.Type

/** Times are epoch milliseconds in the program. `operatorIds` are all users who were assigned or wrote as operator. */
export const Chat = Schema.Struct({
  id: PositiveInt,
  chatId: Schema.NullOr(Schema.String),
  channel: Schema.String,
  botId: Schema.NullOr(PositiveInt),
  clientId: PositiveInt,
  operatorId: Schema.NullOr(PositiveInt),
  operatorIds: Schema.Array(PositiveInt),
  subjectId: Schema.NullOr(PositiveInt),
  skillGroupIds: Schema.Array(PositiveInt),
  status: ChatStatus,
  postponedUntil: Schema.NullOr(Time),
  priority: Priority,
  isOutgoing: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  comment: Schema.NullOr(Schema.String),
  customFields: Schema.Record(Schema.String, Schema.Unknown),
  messageCount: Schema.Int,
  searchCoverage: SearchCoverage,
  waitingSince: Schema.NullOr(Time),
  firstResponseAt: Schema.NullOr(Time),
  lastMessageAt: Schema.NullOr(Time),
  closedBy: Schema.NullOr(PositiveInt),
  createdAt: Time,
  updatedAt: Time,
  closedAt: Schema.NullOr(Time),
  externalId: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String),
  version: Version
}).annotate({ identifier: "Chat" })
export type Chat = typeof Chat.Type

const ListedChat = Schema.Struct({
  ...Chat.fields,
  ...appealIncludes,
  lastMessage: Schema.optionalKey(Schema.NullOr(AppealMessage))
}).annotate({ identifier: "ListedChat" })

export const ChatRequest = withRules(historyRules)(
  Schema.Struct({
    clientId: PositiveInt,
    channel: ShortText,
    chatId: Schema.optionalKey(ExternalId),
    botId: Schema.optionalKey(PositiveInt),
    subjectId: Schema.optionalKey(PositiveInt),
    operatorId: Schema.optionalKey(PositiveInt),
    priority: Schema.optionalKey(Priority),
    tags: Schema.optionalKey(Tags),
    comment: Schema.optionalKey(LongText),
    customFields: Schema.optionalKey(FreeObject),
    isOutgoing: Schema.optionalKey(Schema.Boolean),
    status: Schema.optionalKey(ChatStatus),
    ...historyMembers
  })
).annotate({
  identifier: "ChatRequest",
  examples: [{ clientId: 501, channel: "telegram", subjectId: 12, priority: "normal" }]
})
export type ChatRequest = typeof ChatRequest.Type

export const ChatPatch = Schema.Struct({
  expectedVersion,
  status: Schema.optionalKey(ChatStatus),
  postponedUntil: emptiable(Time),
  subjectId: emptiable(PositiveInt),
  operatorId: emptiable(PositiveInt),
  priority: Schema.optionalKey(Priority),
  comment: emptiable(LongText),
  customFields: Schema.optionalKey(FreeObject),
  tags: Schema.optionalKey(Tags)
}).annotate({ identifier: "ChatPatch", examples: [{ expectedVersion: 1, operatorId: 31 }] })
export type ChatPatch = typeof ChatPatch.Type

const ChatsChange = bulkRequest(Struct.omit(ChatPatch.fields, ["expectedVersion"]), "ChatChange").annotate({
  identifier: "ChatsChange",
  examples: [{ changes: [{ id: 9001, expectedVersion: 1, operatorId: 31, tags: ["outage"] }] }]
})
export type ChatChange = (typeof ChatsChange.Type)["changes"][number]

export const CreatedChat = Schema.Struct({ replayed: Schema.Boolean, chat: Chat }).annotate({
  identifier: "CreatedChat"
})

export const chats: Collection = {
  name: "chats",
  fields: {
    id: "id",
    status: { values: chatStatuses },
    operatorId: "id",
    skillGroupId: "ids",
    subjectId: "id",
    clientId: "id",
    channel: "text",
    botId: "id",
    priority: { values: priorities },
    tags: "texts",
    customFields: "pairs",
    isOutgoing: "boolean",
    externalId: "text",
    source: "text",
    createdAt: "time",
    updatedAt: "time",
    closedAt: "time",
    lastMessageAt: "time",
    messageCount: "integer"
  },
  members: Object.keys(Chat.fields),
  includes: ["client", "operator", "subject", "skillGroups", "lastMessage"],
  searched: true
}

const root = "/kw/api/v1/OpChatRooms"
const params = { id: pathId(9001) }

export class ChatsApi extends HttpApiGroup.make("chats")
  .add(
    HttpApiEndpoint.get("listChats", `${root}/list`, listRoute(chats, ListedChat, "ChatList")).pipe(
      operation(
        "List chats",
        "Visible chats, newest first. A chat with more than 1000 messages has a warning. Requires chats.read."
      )
    ),
    HttpApiEndpoint.get("exportChats", `${root}/export`, exportRoute(chats))
      .annotate(Answers, ["text/csv"])
      .pipe(operation("Export chats as CSV", `${describeExport("chats")} Requires chats.read.`)),
    HttpApiEndpoint.get("getChat", `${root}/:id`, getRoute(params, Chat)).pipe(
      operation("Get a chat", "The ETag is the version. Requires chats.read.")
    ),
    HttpApiEndpoint.post("createChat", root, createRoute(ChatRequest, CreatedChat, StateNotAllowed))
      .annotate(HistoryBody, { members: historyNames, bytesMax: BODY_BYTES_IMPORT_MAX })
      .pipe(
        operation(
          "Create a chat",
          "`createdAt`, `closedAt`, `status` and `messages` import a history and also require appeals.import. A repeat with the same `source` and `externalId` adds the new messages, and answers 200 with replayed true. Requires chats.manage."
        )
      ),
    HttpApiEndpoint.patch(
      "updateChat",
      `${root}/:id`,
      updateRoute(params, ChatPatch, Chat, StateNotAllowed, StatusTransitionNotAllowed)
    ).pipe(
      operation(
        "Update a chat",
        "Status: waiting → active ⇄ postponed, from each of them closed, and closed → waiting or active. A chat without operator is waiting. A postponed chat becomes active at postponedUntil. Requires chats.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.patch("updateChats", root, bulkRoute(ChatsChange, bulkAnswer(Chat, "ChatChange"))).pipe(
      operation("Update many chats", describeBulk("chat"))
    ),
    ...messageEndpoints("Chat", "OpChatRooms")
  )
  .pipe(withSession("Chats", "Conversations with clients in channels.")) {}
