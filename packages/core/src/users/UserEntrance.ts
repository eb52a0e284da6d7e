// Use cases of passwords and invitations (contract §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, StateNotAllowed } from "@rapport/contract/Errors.ts"
import type { User } from "@rapport/contract/users/User.ts"
import { CreatedUser, type PasswordRequest } from "@rapport/contract/users/UsersApi.ts"
import { Context, Data, Effect, Layer, Redacted, Schema } from "effect"
import { AccessStore } from "../access/AccessStore.ts"
import { addressKey } from "../access/AddressKey.ts"
import { loginKeyOf } from "../access/LoginKey.ts"
import { OpaqueTokens } from "../access/OpaqueTokens.ts"
import { Passwords } from "../access/Passwords.ts"
import { Permissions } from "../access/Permissions.ts"
import { actorOf, AuditLog, currentOrigin } from "../audit/AuditLog.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, invalidRequest } from "../receipts/Writes.ts"
import { Admission } from "../traffic/Admission.ts"
import { requireAbove, requireManaged, withoutInvitation } from "./Users.ts"
import { UserStore } from "./UserStore.ts"
import { changeOnce, requireRecord } from "../lists/RecordUseCases.ts"

export class UserEntrance extends Context.Service<UserEntrance>()("core/users/UserEntrance", {
  make: Effect.gen(function* () {
    const services = yield* needed
    const { opaqueTokens, receipts, store } = services
    return {
      /**
       * Ends all sessions of the user except the caller's. A change of one's own password, also by an external token, needs the
       * present one: missing is InvalidRequest, wrong is AccessDenied and counts as a failed login.
       */
      setPassword: Effect.fn("UserEntrance.setPassword")(function* (
        session: AuthorizedSession,
        id: number,
        request: typeof PasswordRequest.Type,
        key: IdempotencyKey
      ) {
        const isOwn = session.userId === id
        if (!isOwn || session.tokenId !== null) yield* Permissions.require(session, "users.manage")
        const user = yield* requireRecord(store.find, session, id)
        yield* requireRights(session, user)
        const done = yield* isOwn
          ? changeOwn(services, session, user, request, key)
          : change(services, session, id, request, key)
        if (done !== undefined) return done
        yield* noteDenied(services, session, id)
        return yield* new AccessDenied({ detail: "currentPassword is wrong" })
      }, orUnavailable),

      /** Replaces the invitation; StateNotAllowed for a user who is not invited. */
      invite: Effect.fn("UserEntrance.invite")(function* (
        session: AuthorizedSession,
        id: number,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "users.manage")
        const command = { operation: "user.invite", pathIds: [id], content: {} }
        const allowed = requireManaged(store, session, id)
        const invited = Effect.gen(function* () {
          // No change, but the lock prevents a new invitation for a user who accepts meanwhile.
          const user = yield* store.update(session, id, "user.invite", (present) =>
            Effect.gen(function* () {
              yield* requireAbove(session, present)
              return present.status === "invited" ? null : yield* notInvited
            })
          )
          if (user === undefined) return undefined
          const { hash, token } = yield* opaqueTokens.makeInvitation
          yield* store.setInvitation(session, id, hash)
          return { ...user, invitationToken: token }
        }).pipe(Effect.catchTag("UniqueConflict", Effect.die))
        return yield* changeOnce(
          receipts,
          { caller: session, command, key, answer: CreatedUser, redact: withoutInvitation, allowed },
          invited
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(UserEntrance, UserEntrance.make)
}

const needed = Effect.all({
  store: UserStore,
  logins: AccessStore,
  receipts: Receipts,
  passwords: Passwords,
  admission: Admission,
  opaqueTokens: OpaqueTokens,
  audit: AuditLog
})
type Services = Effect.Success<typeof needed>

/** Users may set their own password, but not with a token that lacks their rights. */
const requireRights = (session: AuthorizedSession, user: User) =>
  session.userId === user.id && session.tokenId === null ? Effect.void : requireAbove(session, user)

const noteDenied = Effect.fnUntraced(function* ({ audit }: Services, session: AuthorizedSession, id: number) {
  yield* audit.append({
    ...(yield* currentOrigin),
    ...actorOf(session),
    instanceId: session.instanceId,
    action: "user.password",
    entity: "user",
    entityId: String(id),
    decision: "denied",
    details: {}
  })
})

/** Undefined for a wrong present password, which is an error only after a replay was excluded. */
const change = Effect.fnUntraced(function* (
  { passwords, receipts, store }: Services,
  session: AuthorizedSession,
  id: number,
  { currentPassword, password }: typeof PasswordRequest.Type,
  key: IdempotencyKey
) {
  // Hash before the transaction, but only if the present password is right.
  const isOwn = session.userId === id
  const present = isOwn ? yield* store.findPasswordHash(session, id) : null
  const isRight = !isOwn || (yield* passwords.verify(Redacted.make(currentPassword ?? ""), present))
  const hash = isRight ? yield* passwords.hash(Redacted.make(password)) : undefined
  const command = { operation: "user.password", pathIds: [id], content: {}, secret: password }
  return yield* receipts
    .once({ caller: session, command, key, answer: Schema.Null }, () =>
      Effect.gen(function* () {
        if (hash === undefined) return yield* new WrongPassword()
        // Locks the user, whose rights and password may have changed during the hashing.
        yield* store.update(session, id, "user.update", (user) =>
          Effect.as(requireRights(session, user), null)
        )
        if (isOwn && (yield* store.findPasswordHash(session, id)) !== present)
          return yield* new WrongPassword()
        yield* store.setPassword(session, id, hash)
        yield* store.endSessions(session, id, session.sessionId)
        // The former password may have been known to a stranger, who may have created tokens.
        if (!isOwn) yield* store.endTokens(session, id)
        return firstResult(null)
      }).pipe(Effect.catchTag("UniqueConflict", (error) => Effect.die(error)))
    )
    .pipe(Effect.catchTag("WrongPassword", () => Effect.undefined))
})

/** Changes one's own password, limited like a login. */
const changeOwn = Effect.fnUntraced(function* (
  services: Services,
  session: AuthorizedSession,
  user: User,
  request: typeof PasswordRequest.Type,
  key: IdempotencyKey
) {
  if (request.currentPassword === undefined)
    return yield* invalidRequest([{ path: "currentPassword", message: "is required for one's own password" }])
  const { address } = yield* currentOrigin
  const loginKey = loginKeyOf(user.login ?? "")
  const isKnown = services.logins.isKnownAddress(loginKey, addressKey(address ?? ""))
  return yield* services.admission.attemptLogin(
    { loginKey, address, isKnown },
    change(services, session, user.id, request, key)
  )
})

class WrongPassword extends Data.TaggedError("WrongPassword") {}

const notInvited = Effect.fail(
  new StateNotAllowed({ detail: "the user is not invited: only who has no password yet can be" })
)
