// Chats over HTTP: each handler is one call of a use case (docs/contract.md §7).
import { Api } from "@rapport/contract/Api.ts"
import { chatQuery, ChatsApi } from "@rapport/contract/appeals/ChatsApi.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes } from "../lean/LeanPath.ts"
import { posting } from "./AppealsHttp.ts"
import { creatingNamed, getting, leanListing, listing, updating } from "./Records.ts"

const root = "/kw/api/v1/OpChatRooms"

export const chatsLayer = HttpApiBuilder.group(
  Api,
  "chats",
  Effect.fnUntraced(function* (handlers) {
    const chats = yield* Chats
    const routes = yield* LeanRoutes
    routes.add(ChatsApi.endpoints.listChats, leanListing(chatQuery, chats.list))
    const messages = yield* AppealMessages
    return handlers
      .handle("listChats", listing(chats.list))
      .handle("getChat", getting(chats.get))
      .handle(
        "createChat",
        creatingNamed((chat) => ({ chat }), root, chats.create)
      )
      .handle("updateChat", updating(chats.update))
      .handle("postChatMessage", posting(messages, "chat"))
  })
)
