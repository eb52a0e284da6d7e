// The use cases of users (contract §2, §9).
import { type AuthorizedSession, permissionsOf } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, StateNotAllowed } from "@rapport/contract/Errors.ts"
import { User } from "@rapport/contract/users/User.ts"
import {
  CreatedUser,
  type UserPatch,
  type UserRequest,
  users as collection
} from "@rapport/contract/users/UsersApi.ts"
import { Context, Effect, Layer, Redacted } from "effect"
import { OpaqueTokens } from "../access/OpaqueTokens.ts"
import { Passwords } from "../access/Passwords.ts"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import {
  distinctIds,
  firstResult,
  applyPatch,
  requireNoViolations,
  requireVersion,
  unknownAt
} from "../receipts/Writes.ts"
import { UserStore } from "./UserStore.ts"
import { changeOnce, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<UserPatch>

/** Managers of users and supervisors see logins and e-mails, others only names. */
export const seesLogins = ({ permissions, roles, seesAsUser }: AuthorizedSession): boolean =>
  permissions.has("users.manage") || (seesAsUser && roles.includes("supervisor"))

const shownTo = (session: AuthorizedSession, user: User): User =>
  seesLogins(session) || (session.seesAsUser && session.userId === user.id)
    ? user
    : { ...user, login: null, email: null }

/** A user without a password is invited; only the first answer contains the token. */
export class Users extends Context.Service<Users>()("core/users/Users", {
  make: Effect.gen(function* () {
    const store = yield* UserStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    const secrets = yield* Effect.all({ passwords: Passwords, opaqueTokens: OpaqueTokens })
    return {
      ...readUseCases(pages, {
        name: "Users",
        collection,
        access: (session) => Permissions.require(session, "directory.read"),
        list: store.list,
        find: (session, id) => Effect.map(store.find(session, id), (user) => user && shownTo(session, user))
      }),

      create: create(store, receipts, secrets),
      update: update(store, receipts)
    }
  })
}) {
  static readonly layer = Layer.effect(Users, Users.make)
}

type Store = UserStore["Service"]

interface Secrets {
  readonly passwords: Passwords["Service"]
  readonly opaqueTokens: OpaqueTokens["Service"]
}

const create = (store: Store, receipts: Receipts["Service"], secrets: Secrets) =>
  Effect.fn("Users.create")(function* (
    session: AuthorizedSession,
    request: UserRequest,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "users.manage")
    yield* Permissions.requireAll(session, permissionsOf(request.roles))
    const normal = withSets(request)
    const { password, ...content } = { skillGroupIds: [], customFields: {}, ...normal }
    const { entrance, shown } = yield* entranceOf(secrets, request)
    const command = {
      operation: "user.create",
      pathIds: [],
      content,
      ...(password === undefined ? {} : { secret: password })
    }
    return yield* receipts.once(
      { caller: session, command, key, answer: CreatedUser, redact: withoutInvitation },
      () =>
        Effect.gen(function* () {
          yield* checkGroups(store, session, request)
          const user = yield* store.create(session, normal, entrance)
          return firstResult({ ...user, ...shown })
        })
    )
  }, orUnavailable)

const update = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("Users.update")(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: Change,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "users.manage")
    const allowed = requireManaged(store, session, id)
    const normal = withSets(change)
    const command = {
      operation: "user.update",
      pathIds: [id],
      content: { ...normal, expectedVersion }
    }
    const updated = store.update(session, id, "user.update", (present) =>
      Effect.gen(function* () {
        yield* requireAbove(session, present)
        yield* Permissions.requireAll(session, permissionsOf(normal.roles ?? []))
        yield* checkGroups(store, session, change)
        yield* requireVersion(present.version, expectedVersion)
        const next = applyPatch(present, normal)
        if (next !== null && losesAdministrator(present, next)) {
          if (yield* store.isLastAdministrator(session, id)) return yield* lastAdministrator
        }
        return next
      })
    )
    return yield* changeOnce(receipts, { caller: session, command, key, answer: User, allowed }, updated)
  }, orUnavailable)

const checkGroups = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  { skillGroupIds = [] }: Change
) {
  if (skillGroupIds.length === 0) return
  const unknown = yield* store.unknownGroups(session, skillGroupIds)
  yield* requireNoViolations(unknownAt("skillGroupIds", skillGroupIds, unknown))
})

/** Hashes before the transaction begins. */
const entranceOf = Effect.fnUntraced(function* (
  { opaqueTokens, passwords }: Secrets,
  { password }: UserRequest
) {
  if (password !== undefined) {
    const passwordHash = yield* passwords.hash(Redacted.make(password))
    return { entrance: { passwordHash, invitationHash: null }, shown: {} }
  }
  const invitation = yield* opaqueTokens.makeInvitation
  return {
    entrance: { passwordHash: null, invitationHash: invitation.hash },
    shown: { invitationToken: invitation.token }
  }
})

/** A caller cannot change a user whose rights exceed their own (contract §2). */
export const requireAbove = (session: AuthorizedSession, user: User): Effect.Effect<void, AccessDenied> =>
  Permissions.requireAll(session, permissionsOf(user.roles))

/** `requireAbove` for a repeat of a change. */
export const requireManaged = (store: Store, session: AuthorizedSession, id: number) =>
  Effect.flatMap(requireRecord(store.find, session, id), (user) => requireAbove(session, user))

const isAdministrator = ({ roles, status }: User): boolean =>
  status === "active" && roles.includes("administrator")
export const losesAdministrator = (before: User, after: User): boolean =>
  isAdministrator(before) && !isAdministrator(after)
export const lastAdministrator = Effect.fail(
  new StateNotAllowed({ detail: "the user is the last active administrator" })
)

export const withoutInvitation = (user: CreatedUser): CreatedUser =>
  user.invitationToken === undefined ? user : { ...user, invitationToken: null }

/** Sorted group ids, so that equal sets are equal commands. */
const withSets = <R extends Change>(request: R) => ({
  ...request,
  ...(request.skillGroupIds === undefined ? {} : { skillGroupIds: distinctIds(request.skillGroupIds) })
})
