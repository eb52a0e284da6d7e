// Chats over HTTP: each handler is one call of a use case (contract §7).
import { Api } from "@rapport/contract/Api.ts"
import type { ChatChange } from "@rapport/contract/appeals/ChatsApi.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  editMessageHandler,
  postMessageHandler,
  deleteMessageHandler,
  updateEachHandler
} from "./AppealsHttp.ts"
import { namedCreateHandler, exportHandler, getHandler, listHandler, updateHandler } from "./Records.ts"

const root = "/kw/api/v1/OpChatRooms"

export const chatsLayer = HttpApiBuilder.group(
  Api,
  "chats",
  Effect.fnUntraced(function* (handlers) {
    const chats = yield* Chats
    const admission = yield* Admission
    const messages = yield* AppealMessages
    return handlers.handleAll({
      listChats: listHandler(chats.list),
      exportChats: exportHandler(chats.export),
      getChat: getHandler(chats.get),
      createChat: namedCreateHandler((chat) => ({ chat }), root, chats.create),
      updateChat: updateHandler(chats.update),
      updateChats: updateEachHandler(
        admission,
        "chats.manage",
        (session, { expectedVersion, id, ...change }: ChatChange, key) =>
          chats.update(session, id, expectedVersion, change, key)
      ),
      createChatMessage: postMessageHandler(messages, "chat"),
      updateChatMessage: editMessageHandler(messages, "chat"),
      deleteChatMessage: deleteMessageHandler(messages, "chat")
    })
  })
)
