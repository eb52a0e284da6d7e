// The login use cases of users (contract §2).
import type {
  InvitationRequest,
  LoginRequest,
  LogoutRequest,
  Me,
  RefreshRequest,
  TokenPair
} from "@rapport/contract/access/AccessApi.ts"
import { type AuthorizedSession, permissions } from "@rapport/contract/Authorization.ts"
import { AccessDenied, Unauthenticated } from "@rapport/contract/Errors.ts"
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer, Redacted } from "effect"
import { AuditLog, currentOrigin, type Origin } from "../audit/AuditLog.ts"
import { type DenialReason, Denials } from "../audit/Denials.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Admission } from "../traffic/Admission.ts"
import { AccessStore, type LoginRecord, type SessionUser } from "./AccessStore.ts"
import { addressKey } from "./AddressKey.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { loginKeyOf } from "./LoginKey.ts"
import { OpaqueTokens } from "./OpaqueTokens.ts"
import { Passwords } from "./Passwords.ts"

export class Access extends Context.Service<Access>()("core/access/Access", {
  make: Effect.gen(function* () {
    const services = yield* needed
    const { admission, opaqueTokens, passwords, store } = services
    return {
      /** Counted for CurrentAddress. Unknown login, wrong password and blocked user get the same error after the same work. */
      login: Effect.fn("Access.login")(
        function* (request: typeof LoginRequest.Type) {
          const origin = yield* currentOrigin
          const loginKey = loginKeyOf(request.login)
          const password = Redacted.make(request.password)
          const isKnown = store.isKnownAddress(loginKey, addressKey(origin.address ?? ""))
          const found = yield* admission.attemptLogin(
            { loginKey, address: origin.address, isKnown },
            verifyLogin(services, loginKey, password)
          )
          const answer = yield* openSession(services, found, wrongLogin, origin)
          if (found !== undefined) yield* rehashIfOutdated(services, found, password)
          return answer
        },
        orUnavailable,
        noteDenials(services, "login")
      ),

      /** Unauthenticated for a wrong or used token. */
      acceptInvitation: Effect.fn("Access.acceptInvitation")(
        function* (request: typeof InvitationRequest.Type) {
          const hash = opaqueTokens.openInvitation(request.token)
          // Hash only for valid invitations: other callers must not cause this work.
          if (hash === undefined || !(yield* store.isInvitation(hash)))
            return yield* new Unauthenticated({ detail: wrongInvitation })
          const passwordHash = yield* passwords.hash(Redacted.make(request.password))
          const origin = yield* currentOrigin
          const accepted = yield* store.acceptInvitation(hash, passwordHash, origin)
          return yield* openSession(services, accepted, wrongInvitation, origin)
        },
        orUnavailable,
        noteDenials(services, "acceptInvitation")
      ),

      refresh: Effect.fn("Access.refresh")(
        function* (request: typeof RefreshRequest.Type) {
          const spent = opaqueTokens.openRefresh(request.refreshToken)
          if (spent === undefined) return yield* new Unauthenticated({ detail: wrongRefresh })
          const origin = yield* currentOrigin
          const next = yield* opaqueTokens.makeRefresh(spent.sessionId)
          const renewed = yield* store.rotate(spent, { sessionId: spent.sessionId, hash: next.hash }, origin)
          if (renewed === undefined) {
            yield* store.revokeReused(spent, origin)
            return yield* new Unauthenticated({ detail: wrongRefresh })
          }
          return yield* pair(services, renewed, spent.sessionId, next.token)
        },
        orUnavailable,
        noteDenials(services, "refresh")
      ),

      logout: logout(services),
      me: me(services)
    }
  })
}) {
  static readonly layer = Layer.effect(Access, Access.make)
}

const needed = Effect.all({
  store: AccessStore,
  passwords: Passwords,
  accessTokens: AccessTokens,
  opaqueTokens: OpaqueTokens,
  admission: Admission,
  audit: AuditLog,
  denials: Denials
})
type Services = Effect.Success<typeof needed>

const me = ({ store }: Services) =>
  Effect.fn("Access.me")(function* (session: AuthorizedSession) {
    const user = yield* store.findUser(session.instanceId, session.userId)
    if (user === undefined) return yield* new Unauthenticated()
    return {
      user,
      instanceId: session.instanceId,
      permissions: permissions.filter((permission) => session.permissions.has(permission))
    } satisfies Me
  }, orUnavailable)

const logout = ({ opaqueTokens, store }: Services) =>
  Effect.fn("Access.logout")(function* (
    session: AuthorizedSession,
    request: typeof LogoutRequest.Type | undefined
  ) {
    if (session.sessionId === null)
      return yield* new AccessDenied({
        detail: "an external token has no session: delete the token instead"
      })
    const refresh =
      request?.refreshToken === undefined ? undefined : opaqueTokens.openRefresh(request.refreshToken)
    const everywhere = request?.everywhere ?? false
    return yield* store.revoke(session, { everywhere, refresh }, yield* currentOrigin)
  }, orUnavailable)

/** Records refusals of the open routes. */
const noteDenials =
  ({ denials }: Services, operation: string) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, ({ _tag }) => {
      const reason = reasons.get(_tag)
      return reason === undefined ? Effect.void : denials.note({ reason, operation, session: null })
    })

const pair = Effect.fnUntraced(function* (
  { accessTokens }: Services,
  { instanceId, refreshExpiresIn, user }: SessionUser,
  sessionId: string,
  refreshToken: string
) {
  return {
    tokenType: "Bearer",
    accessToken: yield* accessTokens.issue({ instanceId, userId: user.id, sessionId }),
    expiresIn: ACCESS_TOKEN_SECONDS,
    refreshToken,
    refreshExpiresIn,
    user
  } satisfies TokenPair
})

// Verifies also for an unknown login, so that every refusal takes the same work.
const verifyLogin = Effect.fnUntraced(function* (
  { audit, passwords, store }: Services,
  loginKey: string,
  password: Redacted.Redacted
) {
  const found = yield* store.findLogin(loginKey)
  const hash = found?.active === true ? found.passwordHash : null
  const right = yield* passwords.verify(password, hash, "open")
  if (found === undefined || right) return right ? found : undefined
  const origin = yield* currentOrigin
  yield* audit.append({
    ...origin,
    instanceId: found.instanceId,
    action: "auth.login",
    actorType: "user",
    actorId: found.userId,
    entity: "user",
    entityId: String(found.userId),
    decision: "denied",
    details: {}
  })
  return undefined
})

/** Opens a session after the credentials were verified. */
const openSession = Effect.fnUntraced(function* (
  services: Services,
  found: LoginRecord | undefined,
  otherwise: string,
  origin: Origin
) {
  if (found === undefined) return yield* new Unauthenticated({ detail: otherwise })
  const sessionId = yield* services.opaqueTokens.makeSessionId
  const refresh = yield* services.opaqueTokens.makeRefresh(sessionId)
  const user = yield* services.store.openSession(found, { sessionId, hash: refresh.hash }, origin)
  if (user === undefined) return yield* new Unauthenticated({ detail: otherwise })
  return yield* pair(
    services,
    { instanceId: found.instanceId, user, refreshExpiresIn: REFRESH_TOKEN_SECONDS },
    sessionId,
    refresh.token
  )
})

/** A failure does not fail the login. */
const rehashIfOutdated = ({ passwords, store }: Services, found: LoginRecord, password: Redacted.Redacted) =>
  found.passwordHash === null || !passwords.isOutdated(found.passwordHash)
    ? Effect.void
    : passwords.hash(password).pipe(
        Effect.flatMap((hash) => store.rehash(found, hash)),
        Effect.catch((error) =>
          Effect.logWarning("a password could not be hashed with the present parameters", error._tag)
        )
      )

const reasons: ReadonlyMap<string, DenialReason> = new Map([
  ["Unauthenticated", "unauthenticated"],
  ["RateLimited", "rate_limited"]
])
const wrongLogin = "the login or the password is wrong"
const wrongInvitation = "the invitation is not valid, or was used"
const wrongRefresh = "the refresh token is not valid: log in again"
