// Chats over HTTP: each handler is one call of a use case (docs/contract.md §7).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"
import { keyIn, shown, versionIn, written } from "./Written.ts"

const root = "/kw/api/v1/OpChatRooms"

export const chatsLayer = HttpApiBuilder.group(
  Api,
  "chats",
  Effect.fnUntraced(function* (handlers) {
    const chats = yield* Chats
    const messages = yield* AppealMessages
    return handlers
      .handle("listChats", ({ query }) =>
        Effect.gen(function* () {
          return HttpServerResponse.jsonUnsafe(yield* chats.list(yield* CurrentSession, yield* asked(query)))
        })
      )
      .handle("getChat", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* chats.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createChat", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* chats.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          const chat = yield* written(made, { status: 201, version, location: `${root}/${id}` })
          return { replayed: made.replayed, chat }
        })
      )
      .handle("updateChat", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const updated = yield* chats.update(
            yield* CurrentSession,
            params.id,
            version,
            change,
            keyIn(headers)
          )
          return yield* written(updated, { version: updated.answer.version })
        })
      )
      .handle("postChatMessage", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const posted = yield* messages.post(
            yield* CurrentSession,
            "chat",
            params.id,
            payload,
            keyIn(headers)
          )
          return { replayed: posted.replayed, message: yield* written(posted, { status: 201 }) }
        })
      )
  })
)
