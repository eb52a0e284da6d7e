// Use cases of the account of a user: block, unblock, presence (contract §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { StateNotAllowed } from "@rapport/contract/Errors.ts"
import { type Presence, User } from "@rapport/contract/users/User.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { invalidRequest, unknownRecord } from "../receipts/Writes.ts"
import { lastAdministrator, losesAdministrator, requireAbove, requireManaged } from "./Users.ts"
import { type NewOperator, UserStore } from "./UserStore.ts"
import { changeOnce, orNotFound } from "../lists/RecordUseCases.ts"

export class UserAccount extends Context.Service<UserAccount>()("core/users/UserAccount", {
  make: Effect.gen(function* () {
    const store = yield* UserStore
    const receipts = yield* Receipts
    return {
      /** Blocks the user, ends their sessions and reassigns their open appeals, in one transaction; idempotent. */
      block: block(store, receipts),

      unblock: Effect.fn("UserAccount.unblock")(function* (
        session: AuthorizedSession,
        id: number,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "users.manage")
        const command = { operation: "user.unblock", pathIds: [id], content: {} }
        const allowed = requireManaged(store, session, id)
        const updated = update(store, session, id, "user.unblock", (present) =>
          Effect.gen(function* () {
            yield* requireAbove(session, present)
            if (present.status !== "blocked") return null
            // A user without a password is invited again.
            const hash = yield* store.findPasswordHash(session, id)
            return { ...present, status: hash === null ? ("invited" as const) : ("active" as const) }
          })
        )
        return yield* changeOnce(receipts, { caller: session, command, key, answer: User, allowed }, updated)
      }, orUnavailable),

      setPresence: Effect.fn("UserAccount.setPresence")(function* (
        session: AuthorizedSession,
        id: number,
        presence: typeof Presence.Type,
        key: IdempotencyKey
      ) {
        const isOwn = session.tokenId === null && session.userId === id
        if (!isOwn) yield* Permissions.require(session, "users.manage")
        const command = { operation: "user.presence", pathIds: [id], content: { presence } }
        const allowed = isOwn ? Effect.void : requireManaged(store, session, id)
        const updated = update(store, session, id, "user.presence", (present) =>
          Effect.gen(function* () {
            if (!isOwn) yield* requireAbove(session, present)
            if (present.status === "blocked" && presence !== "offline")
              return yield* new StateNotAllowed({ detail: "a blocked user is offline" })
            return present.presence === presence ? null : { ...present, presence }
          })
        )
        return yield* changeOnce(receipts, { caller: session, command, key, answer: User, allowed }, updated)
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(UserAccount, UserAccount.make)
}

type Store = UserStore["Service"]

const block = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("UserAccount.block")(function* (
    session: AuthorizedSession,
    id: number,
    successorId: number | null,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "users.manage")
    const command = { operation: "user.block", pathIds: [id], content: { reassignTo: successorId } }
    const allowed = requireManaged(store, session, id)
    const blocked = Effect.gen(function* () {
      if (successorId !== null) yield* store.lockForBlock(session, id, successorId)
      const user = yield* update(store, session, id, "user.block", (present) =>
        Effect.gen(function* () {
          yield* requireAbove(session, present)
          const next: User = { ...present, status: "blocked", presence: "offline" }
          if (losesAdministrator(present, next) && (yield* store.isLastAdministrator(session, id)))
            return yield* lastAdministrator
          return present.status === "blocked" ? null : next
        })
      )
      if (successorId !== null) yield* requireSuccessor(store, session, id, successorId)
      yield* store.handOver(session, id, successorId)
      yield* store.endSessions(session, id, null)
      return user
    })
    return yield* changeOnce(receipts, { caller: session, command, key, answer: User, allowed }, blocked)
  }, orUnavailable)

/** UniqueConflict is impossible, because the login does not change. */
const update = <E>(
  store: Store,
  session: AuthorizedSession,
  id: number,
  action: Parameters<Store["update"]>[2],
  decide: (found: User) => Effect.Effect<User | null, E>
) => orNotFound(store.update(session, id, action, decide)).pipe(Effect.catchTag("UniqueConflict", Effect.die))

const requireSuccessor = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  id: number,
  successorId: number
) {
  const successor = yield* store.findSuccessor(session, id, successorId)
  if (successor === undefined) return yield* invalidRequest([unknownRecord("reassignTo")])
  if (!isFit(successor, id)) {
    return yield* new StateNotAllowed({
      detail: "reassignTo must be an active operator of a common group"
    })
  }
})

const isFit = ({ sharesGroup, user }: NewOperator, id: number): boolean =>
  user.id !== id && user.status === "active" && user.roles.includes("operator") && sharesGroup
