// Users over HTTP: each handler is one call of a use case (docs/contract.md §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import type { User } from "@rapport/contract/users/User.ts"
import type { Effected } from "@rapport/core/receipts/Receipts.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { UserStanding } from "@rapport/core/users/UserStanding.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"
import { keyIn, shown, versionIn, written } from "./Written.ts"

const changed = (effected: Effected<User>) => written(effected, { version: effected.answer.version })

export const usersLayer = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    const standing = yield* UserStanding
    return handlers
      .handle("listUsers", ({ query }) =>
        Effect.gen(function* () {
          return HttpServerResponse.jsonUnsafe(yield* users.list(yield* CurrentSession, yield* asked(query)))
        })
      )
      .handle("getUser", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* users.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createUser", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* users.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          return yield* written(made, { status: 201, version, location: `/kw/api/v1/users/${id}` })
        })
      )
      .handle("updateUser", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          return yield* changed(
            yield* users.update(yield* CurrentSession, params.id, version, change, keyIn(headers))
          )
        })
      )
      .handle("blockUser", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const successorId = payload?.reassignTo ?? null
          return yield* changed(
            yield* standing.block(yield* CurrentSession, params.id, successorId, keyIn(headers))
          )
        })
      )
      .handle("unblockUser", ({ headers, params }) =>
        Effect.gen(function* () {
          return yield* changed(yield* standing.unblock(yield* CurrentSession, params.id, keyIn(headers)))
        })
      )
      .handle("setPassword", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const set = yield* standing.setPassword(yield* CurrentSession, params.id, payload, keyIn(headers))
          yield* written(set, { status: 204 })
        })
      )
      .handle("setPresence", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          return yield* changed(
            yield* standing.setPresence(yield* CurrentSession, params.id, payload.presence, keyIn(headers))
          )
        })
      )
  })
)
