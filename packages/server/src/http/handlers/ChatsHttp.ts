// Chats over HTTP: each handler is one call of a use case (docs/contract.md §7).
import { Api } from "@rapport/contract/Api.ts"
import { chatQuery, ChatRequest, ChatsApi, ChatWritten } from "@rapport/contract/appeals/ChatsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { idempotencyHeaders } from "@rapport/contract/receipts/IdempotencyKey.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes, plain, throughFramework } from "../lean/LeanPath.ts"
import { posting } from "./AppealsHttp.ts"
import { getting, leanListing, listing, updating } from "./Records.ts"
import { type Keyed, keyIn, writtenAs } from "./WriteHeaders.ts"

const root = "/kw/api/v1/OpChatRooms"

/** What a request says, whichever way it came. */
interface Opening {
  readonly headers: Keyed
  readonly payload: ChatRequest
}

const encodeWritten = Schema.encodeEffect(Schema.toCodecJson(ChatWritten))

const opening = (chats: Chats["Service"]) =>
  Effect.fnUntraced(function* (session: AuthorizedSession, { headers, payload }: Opening) {
    const { answer: chat, replayed } = yield* chats.create(session, payload, keyIn(headers))
    const shown = yield* Effect.orDie(encodeWritten({ replayed, chat }))
    return writtenAs(JSON.stringify(shown), replayed, {
      status: 201,
      version: chat.version,
      location: `${root}/${chat.id}`
    })
  })

export const chatsLayer = HttpApiBuilder.group(
  Api,
  "chats",
  Effect.fnUntraced(function* (handlers) {
    const chats = yield* Chats
    const routes = yield* LeanRoutes
    routes.add(ChatsApi.endpoints.listChats, leanListing(chatQuery, chats.list))
    const open = opening(chats)
    routes.add(ChatsApi.endpoints.createChat, {
      ...plain,
      headers: Schema.Struct(idempotencyHeaders),
      payload: ChatRequest,
      answer: open
    })
    const messages = yield* AppealMessages
    return handlers
      .handle("listChats", listing(chats.list))
      .handle("getChat", getting(chats.get))
      .handle("createChat", throughFramework(open))
      .handle("updateChat", updating(chats.update))
      .handle("postChatMessage", posting(messages, "chat"))
  })
)
