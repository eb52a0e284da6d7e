// Users over HTTP: each handler is one call of a use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { UserEntrance } from "@rapport/core/users/UserEntrance.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { UserAccount } from "@rapport/core/users/UserAccount.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { changed, creating, getting, listing, updating } from "./Records.ts"
import { keyIn, written } from "./WriteHeaders.ts"

export const usersLayer = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    const account = yield* UserAccount
    const entrance = yield* UserEntrance
    return handlers.handleAll({
      listUsers: listing(users.list),
      getUser: getting(users.get),
      createUser: creating("/kw/api/v1/users", users.create),
      updateUser: updating(users.update),
      blockUser: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const successorId = payload?.reassignTo ?? null
          return yield* changed(
            yield* account.block(yield* CurrentSession, params.id, successorId, keyIn(headers))
          )
        }),
      unblockUser: ({ headers, params }) =>
        Effect.gen(function* () {
          return yield* changed(yield* account.unblock(yield* CurrentSession, params.id, keyIn(headers)))
        }),
      setUserPassword: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const set = yield* entrance.setPassword(yield* CurrentSession, params.id, payload, keyIn(headers))
          yield* written(set, { status: 204 })
        }),
      inviteUser: ({ headers, params }) =>
        Effect.gen(function* () {
          const made = yield* entrance.invite(yield* CurrentSession, params.id, keyIn(headers))
          const { id, version } = made.answer
          return yield* written(made, { status: 201, version, location: `/kw/api/v1/users/${id}` })
        }),
      setUserPresence: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          return yield* changed(
            yield* account.setPresence(yield* CurrentSession, params.id, payload.presence, keyIn(headers))
          )
        })
    })
  })
)
