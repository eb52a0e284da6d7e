// Rights to write into appeals, in addition to the permission of the route (contract §2, §7).
import { historyNames } from "@rapport/contract/appeals/Appeal.ts"
import { type AuthorizedSession, permissionsOf } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { Permissions } from "../access/Permissions.ts"
import type { UsableReferences } from "./AppealDraft.ts"
import type { AppealKind, LockedClient } from "./AppealStore.ts"

/** The permission to write into appeals of a kind. */
export const managePermission = { chat: "chats.manage", ticket: "tickets.manage" } as const

/** Whether a request contains a history. */
const isHistory = (request: object): boolean => historyNames.some((name) => name in request)

/** The members of a history need appeals.import. */
export const requireHistory = (
  session: AuthorizedSession,
  request: object
): Effect.Effect<void, AccessDenied> =>
  isHistory(request) ? Permissions.require(session, "appeals.import") : Effect.void

/** The operator of an appeal must be an active user who may answer it. */
export const requireFit = (
  operator: UsableReferences["operator"],
  kind: AppealKind
): Effect.Effect<void, StateNotAllowed> => {
  const permission = managePermission[kind]
  return operator === null || (operator.active && permissionsOf(operator.roles).includes(permission))
    ? Effect.void
    : Effect.fail(new StateNotAllowed({ detail: `operatorId must be an active user with ${permission}` }))
}

/** An appeal of an erased client cannot be changed. */
export const requireClient = (
  client: LockedClient | undefined
): Effect.Effect<LockedClient, NotFound | StateNotAllowed> => {
  if (client === undefined) return Effect.fail(new NotFound())
  return client.isErased
    ? Effect.fail(new StateNotAllowed({ detail: "the client of the appeal is erased" }))
    : Effect.succeed(client)
}
