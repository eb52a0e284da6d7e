// Login, session and external tokens over HTTP: each handler is one call of a use case.
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { byId, listHandler, answerWrite } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

export const loginLayer = HttpApiBuilder.group(
  Api,
  "login",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    return handlers.handleAll({
      login: ({ payload }) => access.login(payload),
      acceptInvitation: ({ payload }) => access.acceptInvitation(payload),
      refreshTokens: ({ payload }) => access.refresh(payload)
    })
  })
)

export const accessLayer = HttpApiBuilder.group(
  Api,
  "access",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    const tokens = yield* ExternalTokens
    return handlers.handleAll({
      logout: ({ payload }) =>
        Effect.flatMap(CurrentSession, (session) => access.logout(session, payload ?? undefined)),
      getCurrentUser: () => Effect.flatMap(CurrentSession, access.me),
      listExternalTokens: listHandler(tokens.list),
      createExternalToken: ({ headers, payload }) =>
        answerWrite(
          (session) => tokens.create(session, payload, keyIn(headers)),
          () => ({ status: 201 })
        ),
      deleteExternalToken: byId(tokens.remove)
    })
  })
)
