// Who acts where no user does: the command line of those who operate the service, in one instance, with every right.
import { type AuthorizedSession, permissions } from "@rapport/contract/Authorization.ts"

/** No user has this id: ids begin at 1. */
export const SYSTEM_USER_ID = 0

export const systemSession = (instanceId: number): AuthorizedSession => ({
  instanceId,
  userId: SYSTEM_USER_ID,
  sessionId: null,
  tokenId: null,
  roles: [],
  permissions: new Set(permissions),
  skillGroupIds: [],
  subjectIds: [],
  colleagueIds: []
})
