// Users over HTTP: each handler is one call of a use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { UserEntrance } from "@rapport/core/users/UserEntrance.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { UserAccount } from "@rapport/core/users/UserAccount.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  answerChange,
  createHandler,
  getHandler,
  listHandler,
  updateHandler,
  answerWrite
} from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

export const usersLayer = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    const account = yield* UserAccount
    const entrance = yield* UserEntrance
    return handlers.handleAll({
      listUsers: listHandler(users.list),
      getUser: getHandler(users.get),
      createUser: createHandler("/kw/api/v1/users", users.create),
      updateUser: updateHandler(users.update),
      blockUser: ({ headers, params, payload }) =>
        answerChange((session) =>
          account.block(session, params.id, payload?.reassignTo ?? null, keyIn(headers))
        ),
      unblockUser: ({ headers, params }) =>
        answerChange((session) => account.unblock(session, params.id, keyIn(headers))),
      setUserPassword: ({ headers, params, payload }) =>
        Effect.asVoid(
          answerWrite(
            (session) => entrance.setPassword(session, params.id, payload, keyIn(headers)),
            () => ({ status: 204 })
          )
        ),
      inviteUser: ({ headers, params }) =>
        answerWrite(
          (session) => entrance.invite(session, params.id, keyIn(headers)),
          ({ id, version }) => ({ status: 201, version, location: `/kw/api/v1/users/${id}` })
        ),
      setUserPresence: ({ headers, params, payload }) =>
        answerChange((session) => account.setPresence(session, params.id, payload.presence, keyIn(headers)))
    })
  })
)
