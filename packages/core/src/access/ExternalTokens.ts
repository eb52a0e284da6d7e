// The use cases of external tokens (contract §2).
import {
  CreatedExternalToken,
  type ExternalTokenRequest,
  externalTokens as collection
} from "@rapport/contract/access/AccessApi.ts"
import { type AuthorizedSession, type Permission, permissionsOf } from "@rapport/contract/Authorization.ts"
import { AccessDenied, NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import { EXTERNAL_TOKENS_MAX, TOKEN_ANCESTORS_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Pages } from "../lists/Pages.ts"
import { listUseCase } from "../lists/RecordUseCases.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { ExternalTokenStore } from "./ExternalTokenStore.ts"
import { OpaqueTokens } from "./OpaqueTokens.ts"
import { Permissions } from "./Permissions.ts"
import type { User } from "@rapport/contract/users/User.ts"
import { UserStore } from "../users/UserStore.ts"
import { firstResult, invalidRequest } from "../receipts/Writes.ts"

const access = (session: AuthorizedSession) => Permissions.require(session, "tokens.manage")

/** Every use needs tokens.manage; callers who are not administrators see and delete their own tokens only (contract §2). */
export class ExternalTokens extends Context.Service<ExternalTokens>()("core/access/ExternalTokens", {
  make: Effect.gen(function* () {
    const store = yield* ExternalTokenStore
    const users = yield* UserStore
    const opaqueTokens = yield* OpaqueTokens
    const receipts = yield* Receipts

    /**
     * InvalidRequest for an expiry that has passed and for `actsAs` that names no active user, AccessDenied for a permission
     * that the maker or that user lacks, StateNotAllowed for a maker with EXTERNAL_TOKENS_MAX. A repeat under the same `key`
     * creates nothing and shows no secret.
     */
    const create = Effect.fn("ExternalTokens.create")(function* (
      session: AuthorizedSession,
      request: typeof ExternalTokenRequest.Type,
      key: IdempotencyKey
    ) {
      const expiresAt = request.expiresAt ?? null
      if (expiresAt !== null && expiresAt <= (yield* Clock.currentTimeMillis)) return yield* expired
      yield* access(session)
      const { permissions } = request
      yield* Permissions.requireAll(session, permissions)
      const actsAs = request.actsAs ?? null
      if (actsAs !== null) yield* requireUser(yield* users.find(session, actsAs), permissions)
      const content = { name: request.name, permissions, actsAs, expiresAt }
      const command = { operation: "external_token.create", pathIds: [], content }
      const answer = CreatedExternalToken
      return yield* receipts.once({ caller: session, command, key, answer, redact: withoutSecret }, () =>
        Effect.gen(function* () {
          if ((yield* store.lockCount(session)) >= EXTERNAL_TOKENS_MAX) return yield* tooMany
          const { hash, prefix, token } = yield* opaqueTokens.makeExternal
          const made = yield* store.create(session, { ...content, prefix, hash })
          if (made === undefined) return yield* tooDeep
          return firstResult({ ...made, token })
        })
      )
    }, orUnavailable)

    const list = listUseCase(yield* Pages, { collection, access, list: store.list })

    const remove = Effect.fn("ExternalTokens.remove")(function* (session: AuthorizedSession, id: number) {
      yield* access(session)
      if (!(yield* store.remove(session, id))) return yield* new NotFound()
    }, orUnavailable)

    return { create, list, remove }
  })
}) {
  static readonly layer = Layer.effect(ExternalTokens, ExternalTokens.make)
}

/** Receipts contain no secret (contract §1.3). */
const withoutSecret = (made: CreatedExternalToken): CreatedExternalToken => ({ ...made, token: null })

/** A token that acts as a user makes no tokens: the new one would outlive the limits of the user. */
const requireUser = Effect.fnUntraced(function* (
  user: User | undefined,
  permissions: ReadonlyArray<Permission>
) {
  if (user?.status !== "active")
    return yield* invalidRequest([{ path: "actsAs", message: "must name an active user of the instance" }])
  if (permissions.includes("tokens.manage"))
    return yield* invalidRequest([
      { path: "permissions", message: "must not hold tokens.manage together with actsAs" }
    ])
  const granted = permissionsOf(user.roles)
  const lacking = permissions.filter((permission) => !granted.includes(permission))
  if (lacking.length > 0)
    return yield* new AccessDenied({ detail: `the user ${user.id} does not hold ${lacking.join(", ")}` })
})

const tooDeep = Effect.fail(
  new AccessDenied({ detail: `tokens make tokens at most ${TOKEN_ANCESTORS_MAX} deep` })
)

const tooMany = Effect.fail(
  new StateNotAllowed({
    detail: `the user has ${EXTERNAL_TOKENS_MAX} external tokens: one must be deleted or expire first`
  })
)

const expired = Effect.fail(invalidRequest([{ path: "expiresAt", message: "must lie in the future" }]))
